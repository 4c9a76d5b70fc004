import { at } from '../../../schema/at.ts'
import { countOf, formatNumber } from '../../../schema/phrases.ts'
import { compose, type Part, type Sentence, showPlan } from '../sentence.ts'
import type { Figures } from './change-figures.ts'
import { countBoth, describeNotes, formatPercent, type Noun, showSize } from './change-notes.ts'
import type { Comparison, PlanFigures, Publication } from './compare-results.ts'

/** The answer of a comparison. */
export interface ChangeAnswer {
  /** Says how prices changed that both results have. */
  readonly lead: Sentence
  /** Facts that the reader must know besides, in the order of their weight. */
  readonly notes: readonly Sentence[]
}

/** The figures of a comparison. */
export type ComparisonFigures = Parameters<typeof describeNotes>[0]

/** Maximum number of plans that the sentence names. */
const maxNamedPlans = 3

/**
 * Describes how prices changed between two results. A sentence of its own counts prices that only one of them has.
 *
 * @param noun the things that were compared @default - prices
 */
export function describeComparison(comparison: ComparisonFigures, noun: Noun = prices): ChangeAnswer {
  const { total, published } = comparison
  const period = countBoth(total) === 0 ? undefined : namePeriod(published)
  const start = period === undefined ? [] : [`from ${period.from} to ${period.to}, `]
  return {
    lead: capitalize(compose(...start, ...describeMedians(comparison, noun))),
    notes: describeNotes(comparison, noun),
  }
}

const prices: Noun = { one: 'price', several: 'prices', unmeasured: 'with several amounts or from zero' }

/** Describes how prices changed, to follow "what changed". */
export function describeBriefly(comparison: ComparisonFigures): Sentence {
  const { total, plans } = comparison
  const medians = listMedians(comparison)
  const [only] = plans.length === 1 ? medians : []
  if (total.changed === 0 || medians.length === 0 || chooseMedian(comparison) === 'median_percent')
    return describeMedians(comparison, prices)
  return compose(
    `${formatNumber(total.changed)} of ${countOf(countBoth(total), 'price')}, by a median of `,
    ...(only === undefined ? listPercents(medians, plans) : [showPercent(only.percent)]),
    '.',
  )
}

function describeMedians({ total, plans }: ComparisonFigures, noun: Noun): Sentence {
  const both = countBoth(total)
  if (both + total.added + total.removed === 0) return compose(`neither result has a ${noun.one}.`)
  if (both === 0) return compose(`the two results have no ${noun.one} in common, so no change can be stated.`)
  const comparablePlans = plans.filter((plan) => countBoth(plan) > 0)
  const [only] = comparablePlans
  if (only === undefined) return describeOne(total, [`the ${noun.several} in both results`])
  if (comparablePlans.length === 1) return describeOne(total, [`the ${noun.several} of `, showPlan(only, plans)])
  return describeMany(total, plans, noun)
}

/** Chooses the median that a sentence states: over all prices, or if most did not change, over those that did. */
export const chooseMedian = ({
  total: { changed, unchanged },
  plans,
}: Pick<Comparison, 'total' | 'plans'>): 'median_percent' | 'median_percent_of_changed' =>
  unchanged >= changed && plans.every(({ median_percent: median }) => median === null || median === 0)
    ? 'median_percent_of_changed'
    : 'median_percent'

/** Orders plans as the sentence names them: the highest median first, plans without one last. */
export function orderPlans(comparison: Pick<Comparison, 'total' | 'plans'>): readonly PlanFigures[] {
  const median = chooseMedian(comparison)
  const rank = (plan: PlanFigures) => plan[median] ?? Number.NEGATIVE_INFINITY
  return comparison.plans.toSorted((a, b) => (rank(a) === rank(b) ? 0 : rank(b) - rank(a)))
}

/** Describes the prices of one plan, which both results have. */
function describeOne(figures: Figures, subject: readonly (string | Part)[]): Sentence {
  const { changed, median_percent: median, median_percent_of_changed: medianOfChanged } = figures
  const both = countBoth(figures)
  const counts = `${formatNumber(changed)} of ${formatNumber(both)} changed`
  if (changed === 0)
    return compose(
      ...subject,
      ` did not change: ${both === 1 ? 'the only one is' : `all ${formatNumber(both)} are`} equal.`,
    )
  if (median === null || medianOfChanged === null)
    return compose(...subject, ` changed, but by how much is unknown: ${counts}, and no amount can be paired.`)
  if (median === 0 && figures.unchanged >= changed)
    return compose(
      figures.unchanged === changed ? 'half of ' : 'most of ',
      ...subject,
      ` did not change: ${counts}, by `,
      showPercent(medianOfChanged),
      ' in the median.',
    )
  if (median === 0)
    return compose(...subject, ' changed by ', showPercent(0), ` in the median: ${counts}${writeUncounted(figures)}.`)
  const direction = median > 0 ? ' rose by ' : ' fell by '
  return compose(...subject, direction, showSize(median), ` in the median: ${counts}.`)
}

/** Counts the changes that no median has, without which a median of 0 % contradicts them; empty if there are none. */
function writeUncounted({ doubtful, unmeasured }: Figures): string {
  const count = doubtful + unmeasured
  return count === 0 ? '' : `, ${formatNumber(count)} of them in no median`
}

/** Describes the prices of several plans, each by its median. */
function describeMany(total: Figures, plans: readonly PlanFigures[], noun: Noun): Sentence {
  const [changed, both] = [formatNumber(total.changed), countBoth(total)]
  if (total.changed === 0)
    return compose(`none of the ${formatNumber(both)} ${noun.several} of ${countOf(plans.length, 'plan')} changed.`)
  const medians = listMedians({ total, plans })
  if (chooseMedian({ total, plans }) === 'median_percent_of_changed') {
    const start = `${total.unchanged === total.changed ? 'half of the' : 'most'} ${noun.several} did not change: `
    const counts = `${changed} of ${formatNumber(both)} did`
    if (medians.length === 0) return compose(start, counts, ', but by how much is unknown.')
    return compose(start, counts, ', with a median change of ', ...listPercents(medians, plans), '.')
  }
  if (medians.length === 0)
    return compose(`${changed} of ${formatNumber(both)} ${noun.several} changed, but by how much is unknown.`)
  return compose(
    'the median change is ',
    ...listPercents(medians, plans),
    `: ${changed} of ${countOf(both, noun.one, noun.several)} changed${medians.every(({ percent }) => percent === 0) ? writeUncounted(total) : ''}.`,
  )
}

interface PlanPercent {
  readonly plan: PlanFigures
  readonly percent: number
}

/** Returns the medians that a sentence states, of the plans that have one. */
function listMedians(comparison: Pick<Comparison, 'total' | 'plans'>): readonly PlanPercent[] {
  const median = chooseMedian(comparison)
  return comparison.plans.flatMap((plan) => {
    const percent = plan[median]
    return percent === null ? [] : [{ plan, percent }]
  })
}

/** Lists the percentages of plans, the highest first, or their range if there are many. */
function listPercents(medians: readonly PlanPercent[], plans: readonly PlanFigures[]): Sentence {
  const descending = medians.toSorted((a, b) => b.percent - a.percent)
  const [highest, lowest] = [at(descending, 0), at(descending, descending.length - 1)]
  const show = ({ plan, percent }: PlanPercent) => [showPercent(percent), ' in ', showPlan(plan, plans)]
  if (descending.length > 1 && highest.percent === lowest.percent)
    return compose(showPercent(highest.percent), ` in each of ${countOf(descending.length, 'plan')}`)
  if (descending.length > maxNamedPlans) return compose('between ', ...show(lowest), ' and ', ...show(highest))
  return compose(...descending.flatMap((each, index) => [...separate(index, descending.length), ...show(each)]))
}

function separate(index: number, count: number): readonly string[] {
  if (index === 0) return []
  return [index === count - 1 ? ' and ' : ', ']
}

/** Names the months of both results, or their days in the same month; undefined if they are not known or equal. */
export function namePeriod({ old: older, new: newer }: Publication): Record<'from' | 'to', string> | undefined {
  if (older === null || newer === null || older.join() === newer.join()) return undefined
  const [from, to] = [older, newer].map((range) => [...new Set(range.map(nameMonth))].join('–'))
  return from === to ? { from: nameDays(older), to: nameDays(newer) } : { from: `${from}`, to: `${to}` }
}

const nameDays = (range: readonly string[]) => [...new Set(range)].join('–')

const nameMonth = (day: string) =>
  new Date(day).toLocaleDateString('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' })

const showPercent = (percent: number): Part => ({ text: formatPercent(percent), kind: 'amount' })

function capitalize([first, ...others]: Sentence): Sentence {
  if (first === undefined || first.kind !== 'words') return first === undefined ? [] : [first, ...others]
  return [{ ...first, text: first.text.charAt(0).toUpperCase() + first.text.slice(1) }, ...others]
}
