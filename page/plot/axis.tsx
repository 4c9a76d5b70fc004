import type { ComponentChildren } from 'preact'
import { formatTick } from '../display/formats.ts'
import type { Scale } from './scale.ts'
import { positionOf } from './spots.ts'

export interface AxisProps {
  readonly scale: Scale
  readonly unit: string
}

/** The round numbers of a scale below its strips. */
export const Axis = ({ scale, unit }: AxisProps) => (
  <svg class="axis" aria-hidden="true">
    {scale.ticks.map((tick) => (
      <text key={tick} x={`${positionOf(tick, scale)}%`} y="1.1em" text-anchor={anchorAt(positionOf(tick, scale))}>
        {formatOnAxis(tick, unit, scale)}
      </text>
    ))}
  </svg>
)

interface GridProps {
  readonly scale: Scale
  /** Height of the strip in pixels. */
  readonly height: number
}

/** Lines through a strip at the round numbers of its scale. */
export const Grid = ({ scale, height }: GridProps) =>
  scale.ticks.map((tick) => {
    const x = `${positionOf(tick, scale)}%`
    return <line key={tick} class="grid" x1={x} x2={x} y1={0} y2={height} />
  })

interface ArrowProps {
  readonly x: 0 | '100%'
  readonly y: number
  readonly children?: ComponentChildren
}

/** An arrow at an end of a strip, for amounts beyond the scale. */
export const Arrow = ({ x, y, children }: ArrowProps) => (
  <svg aria-hidden="true" x={x} y={y} overflow="visible" class="beyond">
    <path d={x === 0 ? 'M1 0 9-6V6Z' : 'M-1 0-9-6V6Z'} />
    {children}
  </svg>
)

/** Texts this near to an end of the strip begin or end at their position, in percent of the width. */
const endRoom = 2.5

/** Returns the part of a text that is at its position, so that it does not reach over an end of the plot. */
export function anchorAt(position: number): 'start' | 'middle' | 'end' {
  if (position < endRoom) return 'start'
  return position > 100 - endRoom ? 'end' : 'middle'
}

/** Says where an axis begins, before other sentences; empty if it begins at zero. */
export const describeBegin = ({ scale, unit }: AxisProps): string =>
  scale.from > 0 ? `The axis begins at ${formatOnAxis(scale.from, unit, scale)}. ` : ''

/** Formats an amount on the axis; if it or one of the axis's round numbers has cents, it is written with cents. */
function formatOnAxis(amount: number, unit: string, { ticks }: Scale): string {
  const hasCents = unit.startsWith('usd') && ![amount, ...ticks].every(Number.isInteger)
  return formatTick(amount, unit, hasCents ? 2 : 0)
}
