import { numberFile } from '../../../schema/columns/warehouse-tables.ts'
import { FileFinder } from '../../fetch/file-finder.ts'
import { ChangedWhileRead } from '../../fetch/remote/changed-while-read.ts'
import { realWaiting } from '../../fetch/remote/patience.ts'
import { RemoteFiles } from '../../fetch/remote/remote-files.ts'
import { type EncodeOptions, encodeFile, type FileProgress } from '../../write/encode-file.ts'
import { refuseFile } from '../sources/file-faults.ts'
import type { FromWorker, ToWorker, WorkerSettings } from './messages.ts'
import { ParentLocations } from './parent-locations.ts'

/** A process that encodes one file at a time for a load. It ends with the load. */

/** Milliseconds between two messages about the progress of a file. */
const pause = 100

let settings: WorkerSettings | undefined
let finder: Promise<FileFinder> | undefined
let remote: RemoteFiles | undefined
const locations = new ParentLocations(send)

// Ctrl-C reaches every process of a terminal: the load decides when its workers end.
process.on('SIGINT', () => undefined)
process.on('disconnect', () => process.exit(1))
process.on('message', (message: ToWorker) => {
  if (message.kind === 'settings') {
    settings = message.settings
    const { files, fileMap, fetching } = settings
    finder = FileFinder.open(files, fileMap, fetching && { locations, fetchesAll: fetching.fetchesAll })
    finder.catch(() => undefined)
    remote = fetching && new RemoteFiles(fetching.http, { locations, waiting: realWaiting, now: () => new Date() })
  } else if (message.kind === 'renewed') locations.renewed(message.address, message.location)
  else void encode(message).then(send, (error: unknown) => send({ kind: 'failed', message: String(error) }))
})

function send(message: FromWorker): void {
  process.send?.(message)
}

async function encode({ path, location, scratch, tables }: Extract<ToWorker, { kind: 'encode' }>): Promise<FromWorker> {
  if (location !== undefined) locations.learn(location)
  const fileOf = ({ name }: { readonly name: string }, file = 0) => numberFile(tables[name] ?? '', file)
  try {
    return { kind: 'encoded', file: await encodeFile(path, { scratch, fileOf }, await readOptions()) }
  } catch (error) {
    const { file, fault } = refuseFile(error, path, undefined)
    return { kind: 'refused', file, fault, hasChanged: error instanceof ChangedWhileRead }
  }
}

async function readOptions(): Promise<EncodeOptions> {
  if (settings === undefined || finder === undefined) throw new Error('a worker has no settings')
  return {
    ...settings.options,
    finder: await finder,
    remote,
    onProgress: throttle((progress) => send({ kind: 'progress', progress })),
  }
}

function throttle(tell: (progress: FileProgress) => void): (progress: FileProgress) => void {
  let toldAt = Number.NEGATIVE_INFINITY
  return (progress) => {
    if (!progress.isRead && performance.now() - toldAt < pause) return
    toldAt = performance.now()
    tell(progress)
  }
}
