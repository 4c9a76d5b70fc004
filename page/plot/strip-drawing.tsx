import { useMemo } from 'preact/hooks'
import { at } from '../../schema/at.ts'
import type { HighlightedGroup } from '../highlights/highlight.ts'
import { Diamond, PriceSymbol } from '../highlights/price-symbol.tsx'
import { medianOf, type Price, type RateGroup } from '../statistics/rate-groups.ts'
import { Arrow, anchorAt, Grid } from './axis.tsx'
import type { Scale } from './scale.ts'
import { type Arrangement, arrangePrices, positionOf } from './spots.ts'
import { isListed, labelStrip, quartilesOf, type StripLabel, type StripLabels } from './strip-labels.ts'

/** Sizes in pixels: a distribution has room above its dots for the amount of its median, a few prices have none. */
interface Layout {
  readonly height: number
  /** Where the dots of the middle level are. */
  readonly middle: number
  /** Number of dots that fit above each other. */
  readonly levels: number
}

const wholeLayout: Layout = { height: 58, middle: 35, levels: 7 }
const lowLayout: Layout = { height: 32, middle: 16, levels: 5 }

/** Distance of dots that stand above each other, in pixels. */
const levelStep = 5

/** A group as it is drawn. */
export interface DrawnGroup extends StripLabels {
  readonly group: RateGroup
  /** True if its amounts are written in place of its quartiles. */
  readonly isListed: boolean
  readonly layout: Layout
  readonly arrangement: Arrangement
}

/** Arranges and labels the prices of a group. */
export function layOut(group: RateGroup, unit: string, scale: Scale): DrawnGroup {
  const hasList = isListed(group)
  const layout = hasList ? lowLayout : wholeLayout
  const arrangement = arrangePrices(group.prices, scale, layout.levels)
  return { group, isListed: hasList, layout, arrangement, ...labelStrip(group, unit, scale, arrangement) }
}

/** Returns the height at which each price of a group stands, in pixels. */
export const heightAt = ({ layout, arrangement }: DrawnGroup, index: number): number =>
  layout.middle + at(arrangement.spots, index).level * levelStep

interface Props {
  readonly drawn: DrawnGroup
  readonly scale: Scale
  /** The position among the prices of the one under the pointer or the keyboard. */
  readonly active: number | undefined
  readonly highlighted: HighlightedGroup | undefined
  readonly chosen: Price | undefined
}

/** The prices of a strip before its quartiles. Too few prices for quartiles are labelled with their amounts instead. */
export function StripDrawing({ drawn, scale, active, highlighted, chosen }: Props) {
  const { group, layout, labels, arrangement } = drawn
  const { prices } = group
  const { height, middle } = layout
  const x = (rate: number) => `${positionOf(rate, scale)}%`
  const y = (index: number) => heightAt(drawn, index)
  // Thousands of dots are not compared again when the pointer moves.
  const dots = useMemo(() => <Dots drawn={drawn} />, [drawn])
  const activePrice = active === undefined ? undefined : prices[active]
  return (
    <>
      <Grid scale={scale} height={height} />
      {!drawn.isListed && <Quartiles group={group} x={x} height={height} />}
      {dots}
      {labels.map((label) => (
        <Label key={label.position} label={label} middle={middle} />
      ))}
      {highlighted &&
        prices.map(
          (price, index) =>
            highlighted.prices.has(price) && <Diamond key={index} x={x(price.rate)} y={y(index)} height={height} />,
        )}
      {highlighted?.prices.size === 0 && (
        <Diamond x={x(Number(highlighted.range.least.amount))} y={middle} height={height} />
      )}
      {chosen && <circle class="chosen-price" cx={x(chosen.rate)} cy={y(prices.indexOf(chosen))} r={8} />}
      <Beyond count={arrangement.before} x={0} y={middle} />
      <Beyond count={arrangement.after} x="100%" y={middle} />
      {activePrice && active !== undefined && <circle class="active" cx={x(activePrice.rate)} cy={y(active)} r={7} />}
    </>
  )
}

const Dots = ({ drawn }: Pick<Props, 'drawn'>) => (
  <>
    {drawn.arrangement.spots.flatMap(({ position, shape, isDrawn }, index) =>
      isDrawn ? [<PriceSymbol key={index} flag={shape} x={`${position}%`} y={heightAt(drawn, index)} />] : [],
    )}
  </>
)

interface QuartilesProps {
  readonly group: RateGroup
  readonly x: (rate: number) => string
  readonly height: number
}

/** Height of the text above a distribution, in pixels. */
const textHeight = 14

function Quartiles({ group, x, height }: QuartilesProps) {
  const { first, third } = quartilesOf(group)
  const median = Number(medianOf(group))
  return (
    <>
      {[first, third].map(Number).map((rate, index) => (
        <line key={index} class="quartile" x1={x(rate)} x2={x(rate)} y1={textHeight} y2={height} />
      ))}
      <line class="median" x1={x(median)} x2={x(median)} y1={textHeight} y2={height} />
    </>
  )
}

/** Distance of a text from the middle of its dot, in pixels: the ring around a chosen dot fits between them. */
const labelGap = 12

/** Distances and anchors of texts beside their dots. */
const sides = { before: { dx: -labelGap, anchor: 'end' }, behind: { dx: labelGap, anchor: 'start' } } as const

function Label({ label: { position, text, side }, middle }: { readonly label: StripLabel; readonly middle: number }) {
  const { dx, anchor } = side === 'above' ? { dx: 0, anchor: anchorAt(position) } : sides[side]
  return (
    <text
      class="amount"
      x={`${position}%`}
      dx={dx}
      y={side === 'above' ? textHeight - 3 : middle + 4}
      text-anchor={anchor}
    >
      {text}
    </text>
  )
}

interface BeyondProps {
  readonly count: number
  readonly x: 0 | '100%'
  readonly y: number
}

/** An arrow with the number of prices beyond an end of the scale. */
function Beyond({ count, x, y }: BeyondProps) {
  if (count === 0) return null
  const isStart = x === 0
  return (
    <Arrow x={x} y={y}>
      <text x={isStart ? 12 : -12} y={4} text-anchor={isStart ? 'start' : 'end'}>
        {count}
      </text>
    </Arrow>
  )
}
