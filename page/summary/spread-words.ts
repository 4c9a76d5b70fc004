import type { Amount } from '../../client/results/amounts.ts'
import { countOf } from '../../schema/phrases.ts'
import { few } from '../../schema/summary/percentiles.ts'
import { formatRate } from '../display/formats.ts'
import type { Scale } from '../plot/scale.ts'
import type { Spread } from './spreads.ts'

/** True for a spread of so few values that it says little of what is usual. */
export const isFew = ({ valueCount }: Spread): boolean => valueCount < few

/** Describes a spread as its label does, beside a drawing with the median. */
export const labelSpread = (spread: Spread, unit: string, scale: Scale): string =>
  `${countValues(spread)} · ${describeMiddle(spread, unit)}${describeCut(spread, unit, scale)}`

const countValues = (spread: Spread) => `${isFew(spread) ? 'few: ' : ''}${countOf(spread.valueCount, 'value')}`

function describeMiddle({ valueCount, minimum, p25, p75, maximum }: Spread, unit: string): string {
  if (minimum === maximum) return `${valueCount > 1 ? 'all ' : ''}${formatRate(minimum, unit)}`
  if (p25 === undefined || p75 === undefined) return rangeOf(minimum, maximum, unit)
  return `half ${p25 === p75 ? `at ${formatRate(p25, unit)}` : rangeOf(p25, p75, unit)}`
}

/** Describes a spread without its drawing. */
export function describeSpread(spread: Spread, unit: string): string {
  const { minimum, median, maximum, p25 } = spread
  const middle = describeMiddle(spread, unit)
  if (minimum === maximum) return `${countValues(spread)}, ${middle}`
  const ends = p25 === undefined ? '' : `, all ${rangeOf(minimum, maximum, unit)}`
  return `${countValues(spread)}, median ${formatRate(median, unit)}, ${middle}${ends}`
}

const rangeOf = (from: Amount, to: Amount, unit: string) => `${formatRate(from, unit)} to ${formatRate(to, unit)}`

/** Says which ends of a spread lie beyond the axis; empty if none does. */
function describeCut({ minimum, maximum }: Spread, unit: string, { from, to }: Scale): string {
  const below = Number(minimum) < from ? `; from ${formatRate(minimum, unit)}, below the axis` : ''
  const above = Number(maximum) > to ? `; up to ${formatRate(maximum, unit)}, above the axis` : ''
  return below + above
}
