import type { ActiveState, CatalogueEntry } from '../catalogue/catalogue-entry.ts'
import { type FeeSchedule, feeScheduleKey } from '../catalogue/fee-schedule.ts'
import { extendHistory, firstKeptDay } from '../catalogue/history.ts'
import { listAll } from '../catalogue/list-catalogue.ts'
import type { Catalogue } from '../catalogue/ports.ts'
import { formatTimestamp } from '../time.ts'
import { workAtOnce } from '../work-at-once.ts'
import { type SwitchDeps, writesAtOnce } from './plan-changes.ts'

/** The entries of one published plan name: the name's entry and the entries of its variants. */
export interface PlanEntries {
  /** Absent before the plan's first load. */
  readonly name?: CatalogueEntry
  readonly variants: readonly CatalogueEntry[]
}

/** The published plan of a variant, or of its name. */
export const planOf = ({ payer, plan, variantOf = plan }: FeeSchedule & Pick<CatalogueEntry, 'variantOf'>) => ({
  payer,
  plan: variantOf,
})

/** From this many plans of a payer, all its entries are read at once. */
const fewPlans = 100

/**
 * Reads the entries of plans. A name's entry is read no later than its variants, so a conditional write to it fails if
 * a variant has changed and been settled since.
 *
 * @returns a lookup from a plan to its entries, for the plans that were read
 */
export async function readPlanEntries(
  plans: readonly FeeSchedule[],
  catalogue: Pick<Catalogue, 'list' | 'listVariants'>,
): Promise<(plan: FeeSchedule) => PlanEntries> {
  const entriesByPlan = new Map<string, PlanEntries>()
  const payers = Map.groupBy(plans, ({ payer }) => payer)
  for (const [payer, ofPayer] of payers) {
    if (ofPayer.length > fewPlans) {
      const planKeys = new Set(ofPayer.map(feeScheduleKey))
      const all = await listAll(catalogue, payer)
      for (const [key, entries] of Map.groupBy(all, (entry) => feeScheduleKey(planOf(entry)))) {
        if (planKeys.has(key)) entriesByPlan.set(key, gather(entries))
      }
      continue
    }
    await workAtOnce(ofPayer, writesAtOnce, async (plan) => {
      entriesByPlan.set(feeScheduleKey(plan), gather(await catalogue.listVariants(plan)))
    })
  }
  return (plan) => entriesByPlan.get(feeScheduleKey(plan)) ?? { variants: [] }
}

function gather(entries: readonly CatalogueEntry[]): PlanEntries {
  const name = entries.find(({ variantOf }) => variantOf === undefined)
  return { ...(name && { name }), variants: entries.filter(({ variantOf }) => variantOf !== undefined) }
}

/** Returns the content of an entry that is loaded and can be searched; undefined for any other entry. */
export const activeOf = (entry: CatalogueEntry | undefined): ActiveState | undefined =>
  entry?.state.status === 'active' ? entry.state : undefined

/** A new state of an entry. */
export interface Replacement extends Pick<CatalogueEntry, 'payer' | 'plan' | 'variantOf' | 'state'> {
  readonly current: CatalogueEntry | undefined
}

/**
 * Replaces entries, each by one conditional write. A variant's entry records its previous state; a name's entry has
 * none, because it is derived.
 */
export async function replaceEntries<Of extends Replacement>(
  all: readonly Of[],
  changedBy: string,
  { catalogue, contents, newId, now }: SwitchDeps,
): Promise<{ readonly written: readonly CatalogueEntry[]; readonly superseded: readonly Of[] }> {
  const replacedAt = formatTimestamp(now())
  // Before the entries: afterwards only the retirement says how long the old content must be kept.
  const replaced = new Set(all.flatMap(({ current }) => activeOf(current)?.contentId ?? []))
  await workAtOnce(replaced, writesAtOnce, (contentId) => contents.retireContent(contentId, now()))
  const keptFrom = firstKeptDay(await catalogue.readKeptDays(), now())
  const written: CatalogueEntry[] = []
  const superseded: Of[] = []
  await workAtOnce(all, writesAtOnce, async (each) => {
    const { payer, plan, variantOf, current, state } = each
    const previous = { state: activeOf(current) ?? { status: 'removed' as const }, replacedAt }
    const entry = {
      payer,
      plan,
      version: newId(),
      state,
      history: extendHistory(current, state, now(), keptFrom),
      changedBy,
      ...(variantOf !== undefined && { variantOf, previous }),
    }
    if ((await catalogue.replace(entry, current?.version)) === 'written') written.push(entry)
    else superseded.push(each)
  })
  return { written, superseded }
}
