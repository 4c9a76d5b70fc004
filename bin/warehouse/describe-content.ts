import type { CatalogueEntry, EntryState } from '../../core/catalogue/catalogue-entry.ts'
import type { Source } from '../../core/catalogue/content.ts'
import type { ContentsAdmin } from '../../core/catalogue/ports.ts'
import { formatNumber } from '../../schema/phrases.ts'
import { formatTable } from '../command/table.ts'

/** A fee schedule as lists show it. */
export interface EntrySummary {
  readonly payer: string
  readonly plan: string
  readonly state: 'complete' | 'partial' | 'ambiguous' | 'removed'
  /** Files that a search reads; absent if no load names them. */
  readonly files?: number
  /** Empty if there are none, or too many to list. */
  readonly planIds: readonly string[]
  readonly planIdCount: number
  readonly lastUpdatedOn?: string
  readonly loadedAt?: string
}

/** Reduces a catalogue entry to what a list shows. */
export function summariseEntry({ payer, plan, state }: CatalogueEntry): EntrySummary {
  return { payer, plan, ...summariseState(state) }
}

function summariseState(state: EntryState): Omit<EntrySummary, 'payer' | 'plan'> {
  if (state.status === 'removed') return { state: 'removed', planIds: [], planIdCount: 0 }
  if (state.status === 'ambiguous') return { state: 'ambiguous', planIds: [], planIdCount: state.variants }
  const { planIds, planIdCount, lastUpdatedOn, partial } = state
  return {
    state: partial ? 'partial' : 'complete',
    ...(state.status === 'active' && { files: state.sourceCount, loadedAt: state.loadedAt }),
    planIds,
    planIdCount,
    ...(lastUpdatedOn !== undefined && { lastUpdatedOn }),
  }
}

/** Sorts fee schedules by payer and plan. */
export function sortByName(entries: readonly EntrySummary[]): readonly EntrySummary[] {
  const { compare } = new Intl.Collator('en')
  return entries.toSorted((a, b) => compare(a.payer, b.payer) || compare(a.plan, b.plan))
}

/** Fee schedules as a table. */
export function describeEntries(entries: readonly EntrySummary[]): string {
  if (entries.length === 0) return 'no fee schedules'
  const rows = entries.map(({ planIds, planIdCount, lastUpdatedOn, loadedAt, ...entry }) => ({
    ...entry,
    'last updated on': lastUpdatedOn,
    'loaded at': loadedAt,
    'plan ids': planIds.join(', ') || (planIdCount > 0 ? `${formatNumber(planIdCount)} ids` : undefined),
  }))
  return formatTable(['payer', 'plan', 'files', 'state', 'last updated on', 'loaded at', 'plan ids'], rows)
}

/** Everything about an entry. */
export interface EntryDetails {
  readonly entry: CatalogueEntry
  /** One for each of the plan's ids. */
  readonly variants: readonly CatalogueEntry[]
  /** The files that a search reads, by name. */
  readonly sources: readonly Source[]
}

/** Reads the files of an entry. */
export async function readDetails(
  { entry, variants }: Pick<EntryDetails, 'entry' | 'variants'>,
  contents: ContentsAdmin,
): Promise<EntryDetails> {
  if (entry.state.status !== 'active') return { entry, variants, sources: [] }
  const refs = await contents.readSourceRefs(entry.state.contentId)
  const sources = await contents.readSources(refs.map(({ sourceId }) => sourceId))
  return { entry, variants, sources: sources.toSorted((a, b) => (a.name < b.name ? -1 : 1)) }
}

/** Everything about an entry, as lines: its state, its files with the findings in each, and its previous state. */
export function describeDetails({ entry, variants, sources }: EntryDetails): string {
  const { plan, state } = entry
  const plansWithIds = variants.filter((variant) => variant.plan !== plan)
  return [
    describeEntries([summariseEntry(entry)]),
    ...(state.status === 'active' && state.filterId !== undefined ? ['', `filter: ${state.filterId}`] : []),
    ...(sources.length === 0 ? [] : ['', 'files:', ...sources.flatMap(describeFile)]),
    ...(plansWithIds.length === 0
      ? []
      : ['', 'by plan id:', describeEntries(sortByName(plansWithIds.map(summariseEntry)))]),
    ...describePrevious([entry, ...plansWithIds]),
  ].join('\n')
}

/** Describes the states that a rollback restores, by the time of their replacement; those of a name by its plan ids. */
function describePrevious(entries: readonly CatalogueEntry[]): readonly string[] {
  const replaced = entries.flatMap(({ payer, plan, previous }) =>
    previous === undefined
      ? []
      : [{ at: previous.replacedAt, entry: { payer, plan, ...summariseState(previous.state) } }],
  )
  const byTime = Map.groupBy(replaced, ({ at }) => at)
  return [...byTime].flatMap(([at, all]) => [
    '',
    `before ${at}:`,
    describeEntries(sortByName(all.map(({ entry }) => entry))),
  ])
}

function describeFile({ name, sourceId, prices, skipped, rates, findings }: Source): readonly string[] {
  const omissions = skipped === 0 ? '' : `, ${formatNumber(skipped)} prices skipped`
  return [
    `  ${name} (source ${sourceId}): ${formatNumber(rates)} rates of ${formatNumber(prices)} prices${omissions}`,
    ...Object.entries(findings).map(([rule, count]) => `    ${rule}: ${formatNumber(count)}`),
  ]
}
