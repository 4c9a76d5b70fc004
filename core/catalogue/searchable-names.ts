import type { CatalogueEntry } from './catalogue-entry.ts'
import { type FeeSchedule, feeScheduleKey } from './fee-schedule.ts'
import type { Catalogue } from './ports.ts'

/** How much of the catalogue is read for suggestions, which must not cost a full scan. */
const suggestionPages = { count: 5, limit: 1000 } as const

/** The fee schedules that can be searched, without the variants of a plan whose name covers them all. */
export async function readSearchableNames(
  catalogue: Pick<Catalogue, 'list'>,
  payer?: string,
): Promise<readonly FeeSchedule[]> {
  const entries: CatalogueEntry[] = []
  let after: FeeSchedule | undefined
  for (let page = 0; page < suggestionPages.count; page++) {
    const { items, next } = await catalogue.list({
      limit: suggestionPages.limit,
      ...(payer !== undefined && { payer }),
      ...(after && { after }),
    })
    entries.push(...items)
    if (next === undefined) break
    after = next
  }
  const found = entries.filter(({ state }) => state.status === 'active' || state.status === 'relation')
  const names = new Set(found.map(feeScheduleKey))
  return found.filter(
    (one) => one.variantOf === undefined || !names.has(feeScheduleKey({ ...one, plan: one.variantOf })),
  )
}

/** Up to `count` variants of a plan's name that can be searched. */
export async function findActiveVariants(catalogue: Pick<Catalogue, 'listVariants'>, name: FeeSchedule, count: number) {
  // Reads more than needed, because some are removed.
  const variants = await catalogue.listVariants(name, count * 5)
  return variants.filter(({ variantOf, state }) => variantOf === name.plan && state.status === 'active').slice(0, count)
}
