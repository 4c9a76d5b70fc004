import { countOf, formatNumber } from '../../../schema/phrases.ts'
import { compose, type Sentence, showPlan } from '../sentence.ts'
import type { Figures } from './change-figures.ts'
import { countBoth, describeNotes, type Noun, showSize, writeLeftOut } from './change-notes.ts'
import { type ChangeAnswer, describeComparison } from './change-sentences.ts'
import type { Plan } from './compare-results.ts'
import type { SummaryComparison } from './compare-summaries.ts'
import type { Side } from './price-index.ts'

const medians: Noun = { one: 'median', several: 'medians', unmeasured: 'without a percentage' }

/** Describes how the medians of two summaries differ: of two days, or of two plans. */
export function describeSummaries(comparison: SummaryComparison): ChangeAnswer {
  const { across } = comparison
  if (across === null) return describeComparison(comparison, medians)
  return {
    lead: describePlans(comparison, across.old, across.new),
    notes: [
      ...describeNotes(
        { ...comparison, matched_by: 'plan', total: { ...comparison.total, added: 0, removed: 0 } },
        medians,
      ),
      ...describeSingles(comparison.total, across),
    ],
  }
}

/** Describes by how much one plan is higher or lower than another one. */
function describePlans({ total }: SummaryComparison, older: Plan, newer: Plan): Sentence {
  const [old, now] = [showPlan(older, [newer]), showPlan(newer, [older])]
  const { changed, median_percent: median } = total
  const both = countBoth(total)
  if (both === 0) return compose(now, ' and ', old, ' have no row in common, so no difference can be stated.')
  const rows = ` in the median of ${countOf(both, 'row')}: ${formatNumber(changed)} of ${formatNumber(both)} differ.`
  if (median === null) return compose(now, ' and ', old, ` differ, but by how much is unknown${rows}`)
  if (median === 0) return compose(now, ' and ', old, ` are equal${rows}`)
  return compose(now, ' is ', showSize(median), median > 0 ? ' higher than ' : ' lower than ', old, rows)
}

/** Counts the rows that only one of two plans has. */
function describeSingles({ added, removed }: Figures, across: Readonly<Record<Side, Plan>>): readonly Sentence[] {
  const singles = [
    [removed, across.old, across.new],
    [added, across.new, across.old],
  ] as const
  return singles
    .filter(([count]) => count > 0)
    .map(([count, plan, other]) =>
      compose(showPlan(plan, [other]), ` alone has ${countOf(count, 'row')}; ${writeLeftOut(count)}`),
    )
}
