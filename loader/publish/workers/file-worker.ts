import { on } from 'node:events'
import { FileFinder } from '../../../fetch/file-finder.ts'
import { ChangedWhileRead } from '../../../fetch/remote/changed-while-read.ts'
import type { HttpSettings } from '../../../fetch/remote/http-settings.ts'
import { realWaiting } from '../../../fetch/remote/patience.ts'
import type { RemoteFiles } from '../../../fetch/remote/remote-files.ts'
import { SignedLocations } from '../../../fetch/remote/signed-locations.ts'
import { numberFile } from '../../../schema/columns/warehouse-tables.ts'
import { PrintableError } from '../../../schema/printable-error.ts'
import { type EncodedFile, type EncodeOptions, encodeFile, type FileProgress } from '../../write/encode-file.ts'
import { realMachine } from '../../write/machine.ts'
import type { LoadRequest } from '../load-request.ts'
import { refuseFile } from '../sources/file-faults.ts'
import { describeEncoding } from '../sources/loader-version.ts'
import { nameFullDisk } from '../warehouse/local-workspace.ts'

/** A process that encodes one file at a time for a load. It ends with the load. */

/** A message from the load. */
export type ToWorker =
  /** The settings of all files of a load; without `http`, no file is fetched. */
  | { readonly kind: 'settings'; readonly request: LoadRequest; readonly http: HttpSettings | undefined }
  | {
      readonly kind: 'encode'
      readonly path: string
      /** The URL of a remote file. */
      readonly location: string | undefined
      readonly scratch: string
      /** The first file of each table, by the table's name. */
      readonly tables: Readonly<Record<string, string>>
    }
  | { readonly kind: 'renewed'; readonly address: string; readonly location: string | undefined }

/** A message to the load. */
export type FromWorker =
  | { readonly kind: 'progress'; readonly progress: FileProgress }
  | { readonly kind: 'encoded'; readonly file: EncodedFile }
  | { readonly kind: 'refused'; readonly file: string; readonly fault: string; readonly hasChanged: boolean }
  /** The URL of this address was denied; answered by `renewed`. */
  | { readonly kind: 'renew'; readonly address: string; readonly denied: string }
  /** An error that is not the file's. */
  | { readonly kind: 'failed'; readonly message: string }

type MessageOf<Kind> = Extract<ToWorker, { readonly kind: Kind }>

/** Milliseconds between two messages about the progress of a file. */
const pause = 100

/** The URLs of the files. When signatures expire, the load lists all files again, for all of its processes. */
class LocationsOfLoad extends SignedLocations {
  override async renew(address: string, denied: string): Promise<string | undefined> {
    send({ kind: 'renew', address, denied })
    for await (const [answer] of on(process, 'message')) {
      if (answer.kind !== 'renewed' || answer.address !== address) continue
      if (answer.location !== undefined) this.learn(answer.location)
      return answer.location
    }
    return undefined
  }
}

const options = Promise.withResolvers<Omit<EncodeOptions, 'onProgress'>>()
// Without a file map that can be read, each file is refused.
options.promise.catch(() => undefined)
const locations = new LocationsOfLoad(() => new Date())

// Ctrl-C reaches every process of a terminal: the load decides when its workers end.
process.on('SIGINT', () => undefined)
process.on('disconnect', () => process.exit(1))
process.on('message', (message: ToWorker) => {
  if (message.kind === 'settings') options.resolve(openOptions(message))
  else if (message.kind === 'encode') void encode(message).then(send, fail)
})

function send(message: FromWorker): void {
  process.send?.(message)
}

function fail(error: unknown): void {
  send({ kind: 'failed', message: error instanceof PrintableError ? error.message : String(error) })
}

async function openOptions({ request, http }: MessageOf<'settings'>): Promise<Omit<EncodeOptions, 'onProgress'>> {
  const { files, fileMap, fetch = false } = request
  const finder = await FileFinder.open(files, fileMap, http && { locations, fetchesAll: fetch })
  const remote = http && (await connect(http))
  return { ...describeEncoding(request), finder, remote, machine: realMachine }
}

async function connect(http: HttpSettings): Promise<RemoteFiles> {
  // Most loads fetch nothing, and need not load the HTTP client.
  const { RemoteFiles } = await import('../../../fetch/remote/remote-files.ts')
  return new RemoteFiles(http, { locations, waiting: realWaiting, now: () => new Date() })
}

async function encode({ path, location, scratch, tables }: MessageOf<'encode'>): Promise<FromWorker> {
  if (location !== undefined) locations.learn(location)
  const fileOf = ({ name }: { readonly name: string }, file = 0) => {
    const tablePath = tables[name]
    if (tablePath === undefined) throw new RangeError(`no file was named for the table ${name}`)
    return numberFile(tablePath, file)
  }
  const onProgress = throttle((progress) => send({ kind: 'progress', progress }))
  try {
    const file = await encodeFile(path, { scratch, fileOf }, { ...(await options.promise), onProgress })
    return { kind: 'encoded', file }
  } catch (error) {
    const { file, fault } = refuseFile(nameFullDisk(error, { scratch }), path, undefined)
    return { kind: 'refused', file, fault, hasChanged: error instanceof ChangedWhileRead }
  }
}

/** Passes on at most one message per pause, and the one at the end of the file always. */
function throttle(report: (progress: FileProgress) => void): (progress: FileProgress) => void {
  let reportedAt = Number.NEGATIVE_INFINITY
  return (progress) => {
    if (!progress.isRead && performance.now() - reportedAt < pause) return
    reportedAt = performance.now()
    report(progress)
  }
}
