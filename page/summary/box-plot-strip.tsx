import type { Amount } from '../../client/results/amounts.ts'
import { formatRate } from '../display/formats.ts'
import { PlanSwatch, useHueClass } from '../display/plan-swatch.tsx'
import { Arrow, anchorAt, Grid } from '../plot/axis.tsx'
import type { Scale } from '../plot/scale.ts'
import { positionOf } from '../plot/spots.ts'
import { describeBoxPlot, isFew, labelBoxPlot } from './box-plot-words.ts'
import type { BoxPlot } from './box-plots.ts'

interface Props {
  readonly boxPlot: BoxPlot
  readonly unit: string
  /** The terms, place and dimensions that not all strips of the panel have. */
  readonly distinctions: readonly string[]
  /** The same for all strips of a panel. */
  readonly scale: Scale
}

/** Sizes in pixels. */
const [height, middle, boxHeight, tickHeight, textHeight] = [42, 28, 16, 10, 14]

/** Draws the box plot of one row of a summary: a line between its ends, a box for its middle half, and its median. */
export function BoxPlotStrip({ boxPlot, unit, distinctions, scale }: Props) {
  const { payer, plan, median, p25, p75 } = boxPlot
  const hue = useHueClass(boxPlot)
  const x = (amount: Amount) => `${positionOf(Number(amount), scale)}%`
  const label = [`Spread of ${plan} of ${payer}`, ...distinctions, describeBoxPlot(boxPlot, unit)].join(', ')
  return (
    <div class={`strip box-plot ${hue}${isFew(boxPlot) ? ' few' : ''}`}>
      <p class="label">
        <span>
          <PlanSwatch payer={payer} plan={plan} />
          <bdi class="plan">{plan}</bdi> <bdi class="payer">{[payer, ...distinctions].join(' · ')}</bdi>
        </span>
        <span class="said">{labelBoxPlot(boxPlot, unit, scale)}</span>
      </p>
      <svg role="img" aria-label={label} height={height}>
        <Grid scale={scale} height={height} />
        <Range boxPlot={boxPlot} scale={scale} />
        {p25 !== undefined && p75 !== undefined && (
          <rect
            class="box"
            x={x(p25)}
            width={`${positionOf(Number(p75), scale) - positionOf(Number(p25), scale)}%`}
            y={middle - boxHeight / 2}
            height={boxHeight}
          />
        )}
        <line class="median" x1={x(median)} x2={x(median)} y1={textHeight + 2} y2={middle + boxHeight / 2 + 3} />
        <text class="amount" x={x(median)} y={textHeight - 3} text-anchor={anchorAt(positionOf(Number(median), scale))}>
          {formatRate(median, unit)}
        </text>
      </svg>
    </div>
  )
}

/** The line between the ends of a box plot, with ticks at its outer percentiles and arrows where it is cut. */
function Range({ boxPlot, scale }: Pick<Props, 'boxPlot' | 'scale'>) {
  const { minimum, maximum, p10, p90 } = boxPlot
  const x = (amount: Amount) => `${positionOf(Number(amount), scale)}%`
  const ticks = [p10, p90].filter((amount) => amount !== undefined)
  return (
    <>
      <line class="range" x1={x(minimum)} x2={x(maximum)} y1={middle} y2={middle} />
      {ticks.map((amount, index) => (
        <line
          key={index}
          class="range"
          x1={x(amount)}
          x2={x(amount)}
          y1={middle - tickHeight / 2}
          y2={middle + tickHeight / 2}
        />
      ))}
      {Number(minimum) < scale.from && <Arrow x={0} y={middle} />}
      {Number(maximum) > scale.to && <Arrow x="100%" y={middle} />}
    </>
  )
}
