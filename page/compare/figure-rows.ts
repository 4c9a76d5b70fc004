import type { Figures } from '../../client/results/comparison/change-figures.ts'
import { countBoth, formatPercent } from '../../client/results/comparison/change-notes.ts'
import type { Plan } from '../../client/results/comparison/compare-results.ts'
import { formatNumber } from '../../schema/phrases.ts'

/** A plan above its figures. */
export interface ComparedPlan {
  readonly key: string
  readonly named: Plan
  /** Null if all plans are of the same payer. */
  readonly payer: string | null
}

/** The figures of a code, or of all codes, by plan. */
export interface FigureRow {
  readonly title: string
  /** Undefined for a plan without prices of the code. */
  readonly cells: readonly (Figures | undefined)[]
}

interface Measure {
  readonly name: string
  /** True for the figure that is set off. */
  readonly isMain: boolean
  readonly show: (figures: Figures | undefined) => string
}

/** The figures of a plan that the table has, in order. */
export const measures: readonly Measure[] = [
  {
    name: 'Changed',
    isMain: false,
    show: (figures) =>
      figures === undefined || countBoth(figures) === 0
        ? '–'
        : `${formatNumber(figures.changed)} of ${formatNumber(countBoth(figures))}`,
  },
  { name: 'Median of the changed', isMain: true, show: showMedian },
  { name: 'Added', isMain: false, show: (figures) => showCount(figures?.added) },
  { name: 'Removed', isMain: false, show: (figures) => showCount(figures?.removed) },
]

const showCount = (count = 0) => (count === 0 ? '–' : formatNumber(count))

/** Formats the median over the prices that changed. */
export function showMedian(figures: Figures | undefined): string {
  const median = figures?.median_percent_of_changed ?? null
  return median === null ? '–' : formatPercent(median)
}

/** Writes the counts of a plan as a phrase; empty for a plan without prices. */
export function describeCounts(figures: Figures): string {
  const { changed, added, removed } = figures
  const both = countBoth(figures)
  return [
    ...(both > 0 ? [`${formatNumber(changed)} of ${formatNumber(both)} changed`] : []),
    ...(added > 0 ? [`${formatNumber(added)} added`] : []),
    ...(removed > 0 ? [`${formatNumber(removed)} removed`] : []),
  ].join(' · ')
}
