import type { CatalogueEntry } from '../catalogue-entry.ts'
import { type FeeSchedule, feeScheduleKey } from '../fee-schedule.ts'
import { readEntries } from '../list-catalogue.ts'
import type { Catalogue } from '../ports.ts'

/** Number of pages of the catalogue that are read for suggestions, which must not cost a full scan. */
const suggestionPages = 5

/** The fee schedules that can be searched, without the variants of a plan whose name covers them all. */
export async function readSearchableNames(
  catalogue: Pick<Catalogue, 'list'>,
  payer?: string,
): Promise<readonly FeeSchedule[]> {
  const entries: CatalogueEntry[] = []
  let pages = 0
  for await (const page of readEntries(catalogue, payer)) {
    entries.push(...page)
    pages += 1
    if (pages === suggestionPages) break
  }
  const searchable = entries.filter(({ state }) => state.status === 'active' || state.status === 'relation')
  const names = new Set(searchable.map(feeScheduleKey))
  return searchable.filter(
    (one) => one.variantOf === undefined || !names.has(feeScheduleKey({ ...one, plan: one.variantOf })),
  )
}

/** Up to `count` variants of a plan's name that can be searched. */
export async function findActiveVariants(catalogue: Pick<Catalogue, 'listVariants'>, name: FeeSchedule, count: number) {
  // Reads more than needed, because some are removed.
  const variants = await catalogue.listVariants(name, count * 5)
  return variants.filter(({ variantOf, state }) => variantOf === name.plan && state.status === 'active').slice(0, count)
}
