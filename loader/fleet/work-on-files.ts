import { claimFile, newLease, settleFile, type Worker } from '../../core/loads/claim-file.ts'
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

/** What a worker tells of each file. */
export type WorkEvent =
  | { readonly event: 'reading'; readonly file: OpenFile }
  | { readonly event: 'ready' | 'refused'; readonly file: OpenFile; readonly outcome: FileOutcome }
  /** Its lease ran out, and another worker has taken it. */
  | { readonly event: 'lost'; readonly file: OpenFile }
  /** An error that is not the file's: it is claimed again when its lease runs out. */
  | { readonly event: 'failed'; readonly file: OpenFile; readonly error: unknown }

export interface WorkDeps extends StepDeps {
  /** Unique for each process. */
  readonly worker: string
  readonly onEvent?: (event: WorkEvent) => void
}

/** Milliseconds between two looks at the files of others. */
const waitingPause = 20_000

/** A worker that fails so often in a row ends: the fault is probably its machine's. */
const maxFailures = 3

/**
 * Reads files of a load into the warehouse, the largest first, until none is left. Any number of workers do so at the
 * same time.
 *
 * @returns how many files it read, and why it ended: nothing is left, another worker waits for what is left, or the load
 *   has ended
 * @throws LoadInterrupted after giving its file back
 * @throws TableOfContentsChanged, and then the load has failed
 */
export async function workOnFiles(
  loadId: string,
  deps: WorkDeps,
): Promise<{ readonly files: number; readonly end: 'finished' | 'others remain' | 'load ended' }> {
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
  const current: { file?: OpenFile } = {}
  if (toc !== undefined && listing !== undefined)
    renewLocation(toc, listing, worker, { remote, signal, repair }, deps, current)
  const run: ReadRun = {
    entity: listing === undefined ? request.payer : listing.entity,
    loadId,
    request,
    finder: await FileFinder.open([], undefined, { locations: remote.locations, fetchesAll: false }),
    deps: { ...deps, remote, signal },
  }
  let files = 0
  try {
    await watch.look()
    for (let failures = 0; ; ) {
      signal.throwIfAborted()
      const claim = await claimFile(worker)
      if (claim.kind === 'finished') return { files, end: 'finished' }
      if (claim.kind === 'waiting') {
        if ((await work.takeTask(loadId, 'wait', newLease(worker), now())) === 'superseded')
          return { files, end: 'others remain' }
        await deps.waiting.sleep(waitingPause, signal)
        continue
      }
      const { file } = claim
      current.file = file
      try {
        await readFile(file, worker, run, deps)
        files++
        failures = 0
      } catch (error) {
        if (signal.aborted) {
          await work.giveBack(loadId, file.key, name)
          throw error
        }
        if (error instanceof LeaseLost) deps.onEvent?.({ event: 'lost', file })
        else {
          deps.onEvent?.({ event: 'failed', file, error })
          if (error instanceof TableOfContentsChanged || ++failures === maxFailures) throw error
        }
      }
    }
  } catch (error) {
    if (error instanceof TableOfContentsChanged)
      await deps.records.end(loadId, { state: 'failed', endedAt: now(), reason: error.message })
    if (!signal.aborted) throw error
    if (signal.reason instanceof LoadInterrupted) throw signal.reason
    return { files, end: 'load ended' }
  } finally {
    await work.dropTask(loadId, 'wait', name)
  }
}

/** Reads a claimed file, and records what has become of it. */
async function readFile(file: OpenFile, worker: Worker, run: ReadRun, deps: WorkDeps): Promise<void> {
  const { identity, location, listedAt, key } = file
  deps.onEvent?.({ event: 'reading', file })
  using lease = keepLease(() => worker.work.renew(worker.loadId, key, newLease(worker)), deps.repeat)
  const signal = AbortSignal.any([lease.signal, run.deps.signal].filter((each) => each !== undefined))
  try {
    run.deps.remote?.locations.learn(location, listedAt)
    const toRead = { identity, path: identity }
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
