import type { Amount } from '../../client/results/amounts.ts'
import { countOf } from '../../schema/phrases.ts'
import { few } from '../../schema/summary/percentiles.ts'
import { formatRate } from '../display/formats.ts'
import type { Scale } from '../plot/scale.ts'
import type { BoxPlot } from './box-plots.ts'

/** True for a box plot of so few values that it says little of what is usual. */
export const isFew = ({ valueCount }: BoxPlot): boolean => valueCount < few

/** Describes a box plot as its label does, beside a drawing with the median. */
export const labelBoxPlot = (boxPlot: BoxPlot, unit: string, scale: Scale): string =>
  `${countValues(boxPlot)} · ${describeMiddle(boxPlot, unit)}${describeCut(boxPlot, unit, scale)}`

const countValues = (boxPlot: BoxPlot) => `${isFew(boxPlot) ? 'few: ' : ''}${countOf(boxPlot.valueCount, 'value')}`

function describeMiddle({ valueCount, minimum, p25, p75, maximum }: BoxPlot, unit: string): string {
  if (minimum === maximum) return `${valueCount > 1 ? 'all ' : ''}${formatRate(minimum, unit)}`
  if (p25 === undefined || p75 === undefined) return rangeOf(minimum, maximum, unit)
  return `half ${p25 === p75 ? `at ${formatRate(p25, unit)}` : rangeOf(p25, p75, unit)}`
}

/** Describes a box plot without its drawing. */
export function describeBoxPlot(boxPlot: BoxPlot, unit: string): string {
  const { minimum, median, maximum, p25 } = boxPlot
  const middle = describeMiddle(boxPlot, unit)
  if (minimum === maximum) return `${countValues(boxPlot)}, ${middle}`
  const ends = p25 === undefined ? '' : `, all ${rangeOf(minimum, maximum, unit)}`
  return `${countValues(boxPlot)}, median ${formatRate(median, unit)}, ${middle}${ends}`
}

const rangeOf = (from: Amount, to: Amount, unit: string) => `${formatRate(from, unit)} to ${formatRate(to, unit)}`

/** Says which ends of a box plot lie beyond the axis; empty if none does. */
function describeCut({ minimum, maximum }: BoxPlot, unit: string, { from, to }: Scale): string {
  const below = Number(minimum) < from ? `; from ${formatRate(minimum, unit)}, below the axis` : ''
  const above = Number(maximum) > to ? `; up to ${formatRate(maximum, unit)}, above the axis` : ''
  return below + above
}
