import type { CatalogueEntry } from '../../core/catalogue/catalogue-entry.ts'
import { listPastContents } from '../../core/catalogue/history.ts'
import { listAll } from '../../core/catalogue/list-catalogue.ts'
import { isSilent } from '../../core/loads/load-record.ts'
import { type CleanReport, cleanWarehouse, keptSeconds } from '../../core/switching/clean-warehouse.ts'
import { type SwitchDeps, writesAtOnce } from '../../core/switching/plan-changes.ts'
import { readSourcesOf } from '../../core/switching/source-sets.ts'
import { addSeconds } from '../../core/time.ts'
import { mapAtOnce } from '../../core/work-at-once.ts'
import { type StepDeps, StepRefused } from './steps.ts'

/** Stores of the records and the work of loads by many workers. */
type RemainsDeps = Pick<StepDeps, 'records' | 'work' | 'now'>

/**
 * Lets a load by many workers run again from its step `plan`: files that were read stay, and refused ones are read
 * again.
 *
 * @throws StepRefused if the load is running, has nothing to do, or was run by one process
 */
export async function resumeLoad(loadId: string, { records, work, now }: RemainsDeps): Promise<void> {
  const record = await records.read(loadId)
  if (record === undefined) throw new StepRefused(`there is no load ${loadId}`)
  const { state, endedAt, counts } = record
  if (endedAt === undefined && !isSilent(record, now()))
    throw new StepRefused(`the load ${loadId} is ${state}: cancel it, or wait until it has ended`)
  if (state === 'completed' && counts?.leftOut === 0)
    throw new StepRefused(`the load ${loadId} is complete: there is nothing to resume`)
  if ((await work.readOrder(loadId)) === undefined)
    throw new StepRefused(`the load ${loadId} cannot be resumed: run the same npm run load again`)
  if ((await records.resume(record, now())) === 'superseded')
    throw new StepRefused(`the load ${loadId} has just changed: npm run loads -- show ${loadId}`)
}

/**
 * Removes the stored work of loads by many workers that ended or were killed over a day ago. Such loads can no longer
 * be resumed.
 *
 * @param isDry true to count the loads only
 * @returns number of loads
 */
export async function cleanLoads({ records, work, now }: RemainsDeps, isDry = false): Promise<number> {
  const before = addSeconds(now(), -keptSeconds)
  let cleaned = 0
  for (const { loadId, touchedAt, endedAt = touchedAt } of await records.list()) {
    if (endedAt >= before || (await work.readOrder(loadId)) === undefined) continue
    if (!isDry) await work.remove(loadId)
    cleaned++
  }
  return cleaned
}

/**
 * Cleans the warehouse and the stored work of ended loads (`cleanWarehouse`, `cleanLoads`), and the names of codes that
 * no content has any more.
 */
export async function cleanAll(
  deps: SwitchDeps & RemainsDeps & Pick<StepDeps, 'codeNames'>,
  isDry = false,
  keepMonths?: number,
): Promise<CleanReport & { readonly loads: number }> {
  const report = { ...(await cleanWarehouse(deps, isDry, keepMonths)), loads: await cleanLoads(deps, isDry) }
  if (!isDry) await deps.codeNames.clean(await listPayerSources(deps), addSeconds(deps.now(), -keptSeconds))
  return report
}

/** Lists the sources of all contents that a payer's plans read, or have read and could read again. */
async function listPayerSources({ catalogue, contents }: Pick<SwitchDeps, 'catalogue' | 'contents'>) {
  const payersOf = new Map<string, Set<string>>()
  for (const entry of await listAll(catalogue))
    for (const contentId of listContentIds(entry))
      payersOf.set(contentId, (payersOf.get(contentId) ?? new Set()).add(entry.payer))
  const plans = await mapAtOnce([...payersOf], writesAtOnce, async ([contentId, payers]) => {
    const sources = await readSourcesOf(contentId, contents)
    return [...payers].map((payer) => ({ payer, sources }))
  })
  return plans.flat()
}

const listContentIds = (entry: CatalogueEntry): readonly string[] => [
  ...[entry.state, entry.previous?.state].flatMap((state) => (state?.status === 'active' ? [state.contentId] : [])),
  ...listPastContents(entry, ''),
]
