import { formatTick } from '../../formats.ts'
import type { Scale } from './scale.ts'
import { placeOf } from './spots.ts'
import { anchorAt } from './strip-drawing.tsx'

export interface AxisProps {
  readonly scale: Scale
  readonly unit: string
}

/** The round numbers of a scale below its strips. */
export const Axis = ({ scale, unit }: AxisProps) => (
  <svg class="axis" aria-hidden="true">
    {scale.ticks.map((tick) => (
      <text key={tick} x={`${placeOf(tick, scale)}%`} y="1.1em" text-anchor={anchorAt(placeOf(tick, scale))}>
        {formatOnAxis(tick, unit, scale)}
      </text>
    ))}
  </svg>
)

/** Says where an axis begins, before other sentences; empty if it begins at zero. */
export const describeBegin = ({ scale, unit }: AxisProps): string =>
  scale.from > 0 ? `The axis begins at ${formatOnAxis(scale.from, unit, scale)}. ` : ''

/** Formats an amount on the axis; if it or one of the axis's round numbers has cents, it is written with cents. */
function formatOnAxis(amount: number, unit: string, { ticks }: Scale): string {
  const hasCents = unit.startsWith('usd') && ![amount, ...ticks].every(Number.isInteger)
  return formatTick(amount, unit, hasCents ? 2 : 0)
}
