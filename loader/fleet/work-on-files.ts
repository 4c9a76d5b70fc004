import { leaseFile, newLease, settleFile, type Worker } from '../../core/loads/lease-file.ts'
import type { FileOutcome, OpenFile } from '../../core/loads/load-work.ts'
import { FileFinder } from '../../fetch/file-finder.ts'
import { TableOfContentsChanged } from '../plans/read-contents.ts'
import type { ReadRun } from '../publish/sources/read-file.ts'
import { openSourceReader } from '../publish/sources/source-reader.ts'
import { LoadInterrupted, watchLoad } from '../run/load-watch.ts'
import { encodeFile } from '../write/encode-file.ts'
import { describeOutcome } from './file-outcomes.ts'
import { renewLocation } from './renew-location.ts'
import { keepLease, LeaseLost, openStep, type StepDeps, StepRefused } from './steps.ts'

/** An event in the work on a file. */
export type WorkEvent =
  | { readonly event: 'reading'; readonly file: OpenFile }
  | { readonly event: 'ready' | 'refused'; readonly file: OpenFile; readonly outcome: FileOutcome }
  /** The lease of the file ran out, and another worker has leased it. */
  | { readonly event: 'lost'; readonly file: OpenFile }
  /** An error that is not the file's fault: the file is leased again when its lease runs out. */
  | { readonly event: 'failed'; readonly file: OpenFile; readonly error: unknown }

export interface WorkDeps extends StepDeps {
  /** Unique for each process. */
  readonly worker: string
  readonly onEvent?: (event: WorkEvent) => void
}

/** Pause before a worker looks again for files that other workers have given up, in milliseconds. */
const waitingPause = 20_000

/** Failures in a row after which a worker ends, because the fault is probably its machine's. */
const maxFailures = 3

/** The work of one process on the files of a load. */
export interface WorkReport {
  /** Number of files that it read. */
  readonly files: number
  /**
   * The reason why it ended: no file is left, another worker already waits for the files that are being read, or the
   * load has ended.
   */
  readonly end: 'finished' | 'others remain' | 'load ended'
}

/**
 * Reads files of a load into the warehouse, the largest first, until none is left. Safe to run in any number of
 * processes at the same time.
 *
 * @throws LoadInterrupted after giving its file back
 * @throws TableOfContentsChanged, and then the load has failed
 */
export async function workOnFiles(loadId: string, deps: WorkDeps): Promise<WorkReport> {
  await using step = await openStep(loadId, deps)
  const { request, remote } = step
  const { toc, repair } = request
  const { work, worker: name, now } = deps
  const listing = await work.findListing(loadId)
  if (toc !== undefined && listing === undefined)
    throw new StepRefused(`the files of the load ${loadId} are not listed`)
  using watch = watchLoad(loadId, deps)
  const { signal } = watch
  const worker: Worker = { loadId, name, work, now, random: deps.waiting.random }
  const run: ReadRun = {
    entity: listing === undefined ? request.payer : listing.entity,
    loadId,
    request,
    finder: await FileFinder.open([], undefined, { locations: remote.locations, fetchesAll: false }),
    deps: { ...deps, remote, signal },
  }
  const leased = new LeasedFiles(worker, run, deps, signal)
  if (toc !== undefined && listing !== undefined) {
    const reading = { remote, signal, repair }
    renewLocation({ toc, listing, worker, reading, deps, currentFile: () => leased.currentFile })
  }
  try {
    await watch.look()
    const end = await leased.readAll()
    return { files: leased.files, end }
  } catch (error) {
    if (error instanceof TableOfContentsChanged)
      await deps.records.end(loadId, { state: 'failed', endedAt: now(), reason: error.message })
    if (!signal.aborted) throw error
    if (signal.reason instanceof LoadInterrupted) throw signal.reason
    return { files: leased.files, end: 'load ended' }
  } finally {
    await work.dropTask(loadId, 'wait', name)
  }
}

/** The files that one worker leases and reads, one after the other. */
class LeasedFiles {
  /** Number of files that were read. */
  files = 0
  /** The file that was leased last: the URL of this one is renewed when its signature expires. */
  currentFile: OpenFile | undefined
  /** Number of failures since the last file that was read. */
  #failures = 0
  readonly #worker: Worker
  readonly #run: ReadRun
  readonly #deps: WorkDeps
  readonly #signal: AbortSignal

  /** @param signal ends the work with its reason */
  constructor(worker: Worker, run: ReadRun, deps: WorkDeps, signal: AbortSignal) {
    this.#worker = worker
    this.#run = run
    this.#deps = deps
    this.#signal = signal
  }

  /** Reads files until none can be leased. @returns the reason why there is none */
  async readAll(): Promise<'finished' | 'others remain'> {
    for (;;) {
      this.#signal.throwIfAborted()
      const leased = await leaseFile(this.#worker)
      if (leased.kind === 'finished') return 'finished'
      if (leased.kind === 'leased') await this.#read(leased.file)
      else if (!(await this.#waitForOthers())) return 'others remain'
    }
  }

  /**
   * Pauses while other workers read the last files, which one worker does.
   *
   * @returns false if another one already does
   */
  async #waitForOthers(): Promise<boolean> {
    const { loadId, work, now } = this.#worker
    if ((await work.takeTask(loadId, 'wait', newLease(this.#worker), now())) === 'superseded') return false
    await this.#deps.waiting.sleep(waitingPause, this.#signal)
    return true
  }

  async #read(file: OpenFile): Promise<void> {
    this.currentFile = file
    try {
      await readFile(file, this.#worker, this.#run, this.#deps)
      this.files++
      this.#failures = 0
    } catch (error) {
      await this.#endLease(file, error)
    }
  }

  /** Ends the lease of a file that could not be read. @throws the error if the worker must end with it */
  async #endLease(file: OpenFile, error: unknown): Promise<void> {
    const { loadId, work, name } = this.#worker
    if (this.#signal.aborted) {
      await work.giveBack(loadId, file.key, name)
      throw error
    }
    if (error instanceof LeaseLost) {
      this.#deps.onEvent?.({ event: 'lost', file })
      return
    }
    this.#deps.onEvent?.({ event: 'failed', file, error })
    this.#failures++
    if (error instanceof TableOfContentsChanged || this.#failures === maxFailures) throw error
  }
}

/** Reads a leased file, and records its outcome. */
async function readFile(file: OpenFile, worker: Worker, run: ReadRun, deps: WorkDeps): Promise<void> {
  const { identity, location, listedAt, position, key } = file
  deps.onEvent?.({ event: 'reading', file })
  using lease = keepLease(() => worker.work.renew(worker.loadId, key, newLease(worker)), deps.repeat)
  const signal = AbortSignal.any([lease.signal, run.deps.signal].filter((each) => each !== undefined))
  try {
    run.deps.remote?.locations.learn(location, listedAt)
    const toRead = { identity, path: identity, position }
    const readSource = await openSourceReader([toRead], { ...run, deps: { ...run.deps, signal } }, encodeFile)
    const progress = { file: identity, index: 1, of: 1 }
    const outcome = describeOutcome(await readSource(toRead, progress, async () => signal.throwIfAborted()))
    await settleFile(file, outcome, worker)
    deps.onEvent?.({ event: outcome.outcome, file, outcome })
  } catch (error) {
    // Work that was stopped says so in its own words.
    throw lease.signal.aborted ? lease.signal.reason : error
  }
}
