import { isOutdated } from '../../core/catalogue/content.ts'
import { listAll } from '../../core/catalogue/list-catalogue.ts'
import { fileKey } from '../../core/loads/load-work.ts'
import { mapAtOnce } from '../../core/work-at-once.ts'
import type { FileToRead } from '../../fetch/file-finder.ts'
import { LoadRefused } from '../../fetch/load-refused.ts'
import type { RemoteFacts } from '../../fetch/remote/remote-facts.ts'
import type { LoadOrder } from '../../schema/load-order.ts'
import { openPlans } from '../plans/open-plans.ts'
import { readContents } from '../plans/read-contents.ts'
import { findFormerSources } from '../publish/sources/former-sources.ts'
import { type ReadRun, readyFile } from '../publish/sources/read-file.ts'
import { describeOrigin } from '../run/load-files.ts'
import { endFailed, watchLoad } from '../run/load-watch.ts'
import { describeOutcome, readReady } from './file-outcomes.ts'
import { openStep, type StepDeps, StepRefused } from './steps.ts'
import { readListing, storeListing } from './stored-listing.ts'

/** Files that are looked at concurrently; those of a host also wait for its slots. */
const filesAtOnce = 64

/** Failures in a row after which the servers are no longer asked for the sizes of files. */
const maxFailures = 20

/**
 * Finds the files of a load, and opens the files to read to its workers. Can be repeated: the stored listing, open
 * files and outcomes stay, refused files are opened again, and the attempts at each file are counted from zero.
 *
 * @param order the order of a load that has none yet
 * @returns `files`, the number of files, and `settled`, the number of files that need not be read: they have not
 *   changed since an earlier load, or this load has read them
 * @throws LoadRefused as the load would before it reads files; the load has failed then
 */
export async function planFiles(loadId: string, order: LoadOrder | undefined, deps: StepDeps) {
  await begin(loadId, order, deps)
  using watch = watchLoad(loadId, deps)
  try {
    await watch.look()
    await using step = await openStep(loadId, deps)
    const run = { loadId, deps: { ...deps, remote: step.remote, signal: watch.signal } }
    const { work, now } = deps
    const contents: typeof readContents = async (...args) =>
      (await readListing(loadId, work)) ?? storeListing(loadId, await readContents(...args), work, now())
    const opened = await openPlans(step.request, await listAll(deps.catalogue), run.deps, contents)
    return { files: opened.files.length, settled: await openUnsettled(opened.files, { ...opened, ...run }, deps) }
  } catch (error) {
    return await endFailed(error, watch, deps)
  }
}

/** Records a load that is started by its order. */
async function begin(loadId: string, order: LoadOrder | undefined, deps: StepDeps): Promise<void> {
  const { work, records, now } = deps
  const startedAt = now()
  const record = await records.read(loadId)
  if (record?.endedAt !== undefined) throw new StepRefused(`the load ${loadId} has ended: it is ${record.state}`)
  if (record === undefined) {
    if (order === undefined) throw new StepRefused(`there is no load ${loadId}, and LOAD_ORDER is not set`)
    await work.putOrder(loadId, order)
    await records.begin({ loadId, from: describeOrigin(order), startedAt })
  }
}

/** Opens the files that must be read. @returns number of files that need not be read */
async function openUnsettled(files: readonly FileToRead[], run: ReadRun, deps: StepDeps): Promise<number> {
  const { loadId } = run
  const { work, records, now } = deps
  const listedAt = (await work.findListing(loadId))?.listedAt ?? now()
  const { outcomes, sources: readySources } = await readReady(loadId, work, deps)
  const openFiles = new Map((await Array.fromAsync(work.listOpen(loadId))).map((file) => [file.identity, file]))
  const sources = new Map([...readySources].filter(([, source]) => !isOutdated(source)))
  const former = await findFormerSources(files, run)
  // Pins protect sources from removal until the load ends. All sources that may be reused are pinned in a few writes.
  const reusable = [...sources.values(), ...former.sources]
  await records.pin(loadId, [...new Set(reusable.map(({ sourceId }) => sourceId))])
  const probing = { failures: 0 }
  const placed = files.map((file, position) => ({ ...file, position }))
  const areSettled = await mapAtOnce(placed, filesAtOnce, async (file) => {
    run.deps.signal?.throwIfAborted()
    const { identity, path, position } = file
    const outcome = outcomes.get(fileKey(identity))
    if (outcome?.outcome === 'ready') {
      if (sources.has(outcome.sourceId)) return true
      await work.forget(loadId, identity, outcome.sourceId)
    }
    const waiting = openFiles.get(identity)
    if (waiting !== undefined) {
      if (waiting.attempts > 0) await work.forgetAttempts(loadId, waiting.key, now())
      return false
    }
    const facts = await probe(path, run, probing)
    const source = facts && (await former.findUnchanged(file, facts))
    if (source !== undefined) {
      await work.record(loadId, identity, describeOutcome(readyFile(source)))
      return true
    }
    const location = run.deps.remote?.locations.latestUrl(path) ?? path
    const bytes = facts?.size
    await work.open(loadId, { identity, location, listedAt, position, ...(bytes !== undefined && { bytes }) })
    return false
  })
  return areSettled.filter(Boolean).length
}

/**
 * Asks a server for the facts of a file.
 *
 * @returns undefined if it does not answer: the worker that reads the file finds out why
 */
async function probe(path: string, run: ReadRun, probing: { failures: number }): Promise<RemoteFacts | undefined> {
  const { remote, signal } = run.deps
  if (remote === undefined || probing.failures >= maxFailures) return undefined
  try {
    using _slot = await remote.hosts.take(path)
    const facts = await remote.probe(path, signal)
    probing.failures = 0
    return facts
  } catch (error) {
    if (!(error instanceof LoadRefused)) throw error
    probing.failures++
    return undefined
  }
}
