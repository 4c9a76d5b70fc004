import { countOf, formatNumber } from '../../schema/phrases.ts'

/** Numbers of doubtful values: of the whole result, and of them those of the plot. */
export interface LeftOut {
  readonly count: number
  readonly inPlot: number
}

/** Says how many doubtful prices are left out or counted, and how many of them are of the plot. */
export function describeLeftOut({ count, inPlot }: LeftOut, isCounted: boolean): string {
  const prices = `${countOf(count, 'doubtful price')} ${isCounted ? 'counted' : 'left out'}`
  if (inPlot === 0) return `${prices}, none of this plot`
  if (inPlot === count) return `${prices}, ${count === 1 ? '' : 'all '}of this plot`
  return `${prices}, ${formatNumber(inPlot)} of this plot`
}
