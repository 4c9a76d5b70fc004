import { countOf, formatNumber } from '../../../schema/phrases.ts'
import { compose, type Part, type Sentence } from '../sentence.ts'
import { countBoth, describeNotes, formatPercent, type Noun } from './change-notes.ts'
import { type ChangeAnswer, describeComparison } from './change-sentences.ts'
import type { Plan } from './compare-results.ts'
import type { SummaryComparison } from './compare-summaries.ts'

const medians: Noun = { one: 'median', several: 'medians', unmeasured: 'without a percentage' }

/** Describes how the medians of two summaries differ: of two days, or of two plans. */
export function describeSummaries(comparison: SummaryComparison): ChangeAnswer {
  const { across } = comparison
  if (across === null) return describeComparison(comparison, medians)
  return {
    lead: describePlans(comparison, across.old, across.new),
    notes: describeNotes({ ...comparison, matched_by: 'plan' }, medians),
  }
}

/** Describes by how much one plan is higher or lower than another one. */
function describePlans({ total }: SummaryComparison, older: Plan, newer: Plan): Sentence {
  const [old, now] = [showName(older, newer), showName(newer, older)]
  const { changed, median_percent: median } = total
  const both = countBoth(total)
  if (both === 0) return compose(now, ' and ', old, ' have no row in common, so no difference can be stated.')
  const rows = ` in the median of ${countOf(both, 'row')}: ${formatNumber(changed)} of ${formatNumber(both)} differ.`
  if (median === null) return compose(now, ' and ', old, ` differ, but by how much is unknown${rows}`)
  if (median === 0) return compose(now, ' and ', old, ` are equal${rows}`)
  const size: Part = { text: formatPercent(median).slice(1), kind: 'amount' }
  return compose(now, ' is ', size, median > 0 ? ' higher than ' : ' lower than ', old, rows)
}

const showName = ({ payer, plan }: Plan, other: Plan): Part => ({
  text: plan === other.plan ? `${plan} of ${payer}` : `${plan}`,
  kind: 'plan',
})
