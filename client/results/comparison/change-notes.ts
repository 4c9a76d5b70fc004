import { countOf, formatNumber } from '../../../schema/phrases.ts'
import { compose, type Part, type Sentence, showPlan } from '../sentence.ts'
import type { Figures } from './change-figures.ts'
import type { Comparison, PlanFigures, Publication } from './compare-results.ts'

/** The noun for one of the things that were compared, and for several. */
export interface Noun {
  readonly one: string
  readonly several: string
  /** Describes changes without a percentage, to follow their number. */
  readonly unmeasured: string
}

/** Counts the prices that both results have. */
export const countBoth = ({ changed, unchanged }: Figures): number => changed + unchanged

/** Describes the facts besides the medians: how prices are matched, which are left out, and which plans. */
export const describeNotes = (
  {
    published,
    total,
    plans,
    without_zeros: withoutZeros = 0,
    ...match
  }: Pick<Comparison, 'matched_by' | 'total' | 'plans' | 'published'> & Partial<Pick<Comparison, 'without_zeros'>>,
  noun: Noun,
): readonly Sentence[] =>
  [
    describeMatch(match),
    describeWithoutZeros(withoutZeros, noun),
    describeSameDay(published),
    describeMix(total, noun),
    ...plans.map((plan) => describeOneSided(plan, plans, noun)),
    describeUnmeasured(total, noun),
  ].filter((note) => note.length > 0)

function describeMatch({ matched_by: matchedBy }: Pick<Comparison, 'matched_by'>): Sentence {
  if (matchedBy === 'plan') return []
  return compose(
    'No plan is in both results: prices are matched by price_key alone, so by networks, TIN and terms, and plans are not told apart.',
  )
}

/** Says that an earlier version loaded the older result, so that prices seem to be removed and added. */
function describeWithoutZeros(count: number, { one, several }: Noun): Sentence {
  if (count === 0) return []
  const [verb, pronoun] = count === 1 ? ['lacks', 'it counts'] : ['lack', 'they count']
  return compose(
    `${countOf(count, one, several)} of the older result ${verb} leading zeros of a TIN or code that the newer one has, so ${pronoun} as removed and added: load that month again to compare.`,
  )
}

function describeSameDay({ old: older, new: newer }: Publication): Sentence {
  if (older === null || newer === null || older.join() !== newer.join()) return []
  return compose(`Both results were published on ${[...new Set(older)].join(' to ')}.`)
}

/** Counts the prices that only one result has. */
function describeMix({ added, removed }: Figures, { one, several }: Noun): Sentence {
  const counts = [
    [added, 'added'],
    [removed, 'removed'],
  ] as const
  const phrases = counts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${countOf(count, one, several)} ${count === 1 ? 'was' : 'were'} ${word}`)
  if (phrases.length === 0) return []
  return compose(`${phrases.join(' and ')}; ${writeLeftOut(added + removed)}`)
}

/** Says of things that were counted that no median has them. */
export const writeLeftOut = (count: number): string => `the median leaves ${count === 1 ? 'it' : 'them'} out.`

function describeOneSided(plan: PlanFigures, plans: readonly PlanFigures[], { several }: Noun): Sentence {
  if (countBoth(plan) > 0 || (plan.added > 0 && plan.removed > 0)) return []
  const result = plan.added > 0 ? 'newer' : 'older'
  return compose(showPlan(plan, plans), ` has ${several} in the ${result} result only.`)
}

/** Counts the changes that no median has. */
function describeUnmeasured({ doubtful, unmeasured }: Figures, noun: Noun): Sentence {
  const counts = [
    [unmeasured, noun.unmeasured],
    [doubtful, 'of doubtful prices'],
  ] as const
  const phrases = counts
    .filter(([count]) => count > 0)
    .map(([count, kind], index) => `${index === 0 ? countOf(count, 'change') : formatNumber(count)} ${kind}`)
  if (phrases.length === 0) return []
  const verb = unmeasured + doubtful === 1 ? 'is' : 'are'
  return compose(`${phrases.join(' and ')} ${verb} not counted in the median.`)
}

/** Shows the size of a change, for words that say its direction. */
export const showSize = (percent: number): Part => ({ text: formatPercent(percent).slice(1), kind: 'amount' })

/** Formats a change with its sign, such as "+8 %" and "−0.25 %". */
export function formatPercent(percent: number): string {
  const size = Math.abs(percent)
  const sign = percent < 0 ? '−' : '+'
  const digits = size < 1 ? 2 : 1
  const text = size.toLocaleString('en-US', { maximumFractionDigits: size < 100 ? digits : 0 })
  return `${percent === 0 ? '' : sign}${text}\u00a0%`
}
