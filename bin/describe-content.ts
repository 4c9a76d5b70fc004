import type { CatalogueEntry, EntryState } from '../core/catalogue-entry.ts'
import type { Source } from '../core/content.ts'
import type { ContentsAdmin } from '../core/ports.ts'

const counts = new Intl.NumberFormat('en')

const countOf = (count: number, noun: string) => `${counts.format(count)} ${noun}${count === 1 ? '' : 's'}`

/** An entry in one line, as lists show it. */
export function describeEntry({ payer, plan, state }: CatalogueEntry): string {
  return [`${payer} / ${plan}`, ...describeState(state)].join(', ')
}

function describeState(state: EntryState): readonly string[] {
  if (state.status === 'removed') return ['removed']
  if (state.status === 'ambiguous')
    return [`${countOf(state.variants, 'plan id')} with different files: search for each by its own name`]
  return [
    ...describePlanIds(state.planIds, state.planIdCount),
    state.status === 'relation' ? 'of the relation fee_schedules' : countOf(state.sourceCount, 'file'),
    ...(state.lastUpdatedOn === undefined ? [] : [`last updated on ${state.lastUpdatedOn}`]),
    ...(state.partial ? ['partial'] : []),
  ]
}

function describePlanIds(planIds: readonly string[], count: number): readonly string[] {
  if (count === 0) return []
  return [planIds.length === 0 ? countOf(count, 'plan id') : `plan id ${planIds.join(', ')}`]
}

/** Everything of an entry, in lines: what it is, its files, what was found in each, and what it was before. */
export async function describeWhole(
  { entry, variants }: { readonly entry: CatalogueEntry; readonly variants: readonly CatalogueEntry[] },
  contents: ContentsAdmin,
): Promise<string> {
  const { state, previous } = entry
  const others = variants.filter(({ plan }) => plan !== entry.plan)
  return [
    describeEntry(entry),
    ...(await describeFiles(state, contents)),
    ...(others.length === 0 ? [] : ['', 'by plan id:', ...others.map((variant) => `  ${describeEntry(variant)}`)]),
    ...(previous === undefined
      ? []
      : ['', `before ${previous.replacedAt}:`, `  ${describeState(previous.state).join(', ')}`]),
  ].join('\n')
}

async function describeFiles(state: EntryState, contents: ContentsAdmin): Promise<readonly string[]> {
  if (state.status !== 'active') return []
  const refs = await contents.readSourceRefs(state.contentId)
  const sources = await contents.readSources(refs.map(({ sourceId }) => sourceId))
  return [
    `  loaded at: ${state.loadedAt}`,
    `  complete: ${state.partial ? 'no, listed files were missing' : 'yes'}`,
    ...(state.filterId === undefined ? [] : [`  filter: ${state.filterId}`]),
    ...sources.toSorted((a, b) => (a.name < b.name ? -1 : 1)).flatMap(describeFile),
  ]
}

function describeFile({ name, sourceId, prices, skipped, rates, findings }: Source): readonly string[] {
  const left = skipped === 0 ? '' : `, ${counts.format(skipped)} prices skipped`
  return [
    `    ${name} (source ${sourceId}): ${counts.format(rates)} rates of ${counts.format(prices)} prices${left}`,
    ...Object.entries(findings).map(([rule, count]) => `      ${rule}: ${counts.format(count)}`),
  ]
}
