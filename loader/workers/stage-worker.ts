import { dirname, join } from 'node:path'
import { FileFinder } from '../files/file-finder.ts'
import { LoadRefused } from '../load-refused.ts'
import { stagePiece } from '../pieces/stage-piece.ts'
import { ChangedWhileRead } from '../remote/changed-while-read.ts'
import { realWaiting } from '../remote/patience.ts'
import { RemoteFiles } from '../remote/remote-files.ts'
import { partFileName } from '../staging/part-staging.ts'
import type { FileProgress, StageOptions, StagingFiles } from '../staging/stage-file.ts'
import { stageFile } from '../staging/stage-file.ts'
import type { FromWorker, ToWorker, WorkerSettings } from './messages.ts'
import { ParentLocations } from './parent-locations.ts'

/** A process that stages one file, or one piece of a file, at a time for a load. It ends with the load. */

/** Milliseconds between two messages about the progress of a file. */
const pause = 100

let settings: WorkerSettings | undefined
let finder: Promise<FileFinder> | undefined
let remote: RemoteFiles | undefined
/** What the piece that is staged waits for. */
let exchange: Waiting | undefined
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
  else if (message.kind === 'references') exchange?.references.resolve(message.path)
  else if (message.kind === 'before') exchange?.pricesBefore.resolve(message.prices)
  else {
    const staged = message.kind === 'stage' ? stage(message) : stageOne(message)
    void staged.then(send, (error: unknown) => send({ kind: 'failed', message: String(error) }))
  }
})

function send(message: FromWorker): void {
  process.send?.(message)
}

async function stage({ path, location, ...staged }: Extract<ToWorker, { kind: 'stage' }>): Promise<FromWorker> {
  if (location !== undefined) locations.learn(location)
  return orRefusal(async () => ({ kind: 'staged', file: await stageFile(path, filesOf(staged), await readOptions()) }))
}

async function stageOne({ piece, knowsLeftOut, ...staged }: Extract<ToWorker, { kind: 'piece' }>): Promise<FromWorker> {
  const waiting = { references: Promise.withResolvers<string>(), pricesBefore: Promise.withResolvers<number>() }
  exchange = waiting
  const told = {
    references: waiting.references.promise,
    pricesBefore: waiting.pricesBefore.promise,
    knowsLeftOut,
    onRead: (prices: number) => send({ kind: 'pieceRead', prices }),
  }
  return orRefusal(async () => ({
    kind: 'pieceStaged',
    piece: await stagePiece(piece, filesOf(staged), await readOptions(), told),
  }))
}

async function orRefusal(work: () => Promise<FromWorker>): Promise<FromWorker> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof LoadRefused) {
      return { kind: 'refused', file: error.file, fault: error.fault, hasChanged: error instanceof ChangedWhileRead }
    }
    throw error
  }
}

const filesOf = ({
  scratch,
  tables,
}: Pick<Extract<ToWorker, { kind: 'stage' }>, 'scratch' | 'tables'>): StagingFiles => ({
  scratch,
  fileOf: ({ name }, part = 0) => join(dirname(tables[name] ?? ''), partFileName(part)),
})

async function readOptions(): Promise<StageOptions> {
  if (settings === undefined || finder === undefined) throw new Error('a worker has no settings')
  return {
    ...settings.options,
    finder: await finder,
    remote,
    threads: settings.threads,
    onProgress: throttle((progress) => send({ kind: 'progress', progress })),
  }
}

interface Waiting {
  readonly references: PromiseWithResolvers<string>
  readonly pricesBefore: PromiseWithResolvers<number>
}

function throttle(tell: (progress: FileProgress) => void): (progress: FileProgress) => void {
  let toldAt = Number.NEGATIVE_INFINITY
  return (progress) => {
    if (!progress.isRead && performance.now() - toldAt < pause) return
    toldAt = performance.now()
    tell(progress)
  }
}
