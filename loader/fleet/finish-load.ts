import { LoadRefused } from '../../fetch/load-refused.ts'
import { conductLoad } from '../run/load-files.ts'
import type { LoadReport } from '../run/load-report.ts'
import { LoadCancelled } from '../run/load-watch.ts'
import { lookUpSources } from './file-outcomes.ts'
import { openStep, type StepDeps, StepRefused } from './steps.ts'
import { readListing } from './stored-listing.ts'

/**
 * Judges the plans of a load by what its workers have read, switches them, and ends the load. If it is interrupted, run
 * it again: fee schedules that are at their target are skipped.
 *
 * @returns undefined if the load was completed before
 * @throws StepRefused if the load has failed or was cancelled before
 * @throws LoadRefused if nothing can be loaded; then nothing is switched
 */
export async function finishLoad(loadId: string, deps: StepDeps): Promise<LoadReport | undefined> {
  const { work, records } = deps
  const record = await records.read(loadId)
  if (record === undefined) throw new StepRefused(`there is no load ${loadId}`)
  const { state, startedAt, reason } = record
  if (state === 'completed') return undefined
  if (state === 'failed' || state === 'cancelled') {
    throw new StepRefused(`the load ${loadId} has ${state === 'failed' ? `failed: ${reason}` : 'been cancelled'}`)
  }
  await using step = await openStep(loadId, deps)
  const report = await conductLoad(
    { loadId, startedAt, request: step.request },
    {
      contents: async (toc) => {
        const listing = await readListing(loadId, work)
        if (listing === undefined) throw new LoadRefused(toc, 'was not read before its load ended')
        return listing
      },
      files: (files, run) => lookUpSources(files, run, work),
    },
    // A cancelled load is recorded as cancelled, even if it also has a fault.
    { ...deps, remote: step.remote, ...(state === 'cancelling' && { signal: AbortSignal.abort(new LoadCancelled()) }) },
  )
  // Without files to read again there is nothing to resume.
  if (report.leftOut.length === 0) await work.remove(loadId)
  return report
}
