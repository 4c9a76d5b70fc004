import { useMemo } from 'preact/hooks'
import { veryFew } from '../../../schema/summary/percentiles.ts'
import { formatRate } from '../../formats.ts'
import type { MarkedGroup } from '../marks/mark.ts'
import { type Price, percents, type RateGroup } from '../rate-groups.ts'
import type { Scale } from '../scale.ts'
import { Diamond, PriceMark } from './price-mark.tsx'
import { findShape } from './price-shapes.ts'

/** Heights of a strip, in pixels: dots of a distribution are spread over it, a few prices stand in a line. */
const [wholeHeight, lowHeight] = [56, 32]

/** True if the prices of a group are shown with their amounts, because they are too few for quartiles, or equal. */
export const isListed = ({ prices }: RateGroup): boolean =>
  prices.length < veryFew || prices.at(0)?.rate === prices.at(-1)?.rate

export const heightOf = (group: RateGroup): number => (isListed(group) ? lowHeight : wholeHeight)

/** Where an amount is, in percent of the width; what lies beyond the scale is at its end. */
export const placeOf = (rate: number, { from, to }: Scale): number =>
  Math.max(0, Math.min(100, ((rate - from) / (to - from)) * 100))

/** Returns the amounts of ascending prices that lie before and after the scale. */
export function findBeyond(prices: readonly Price[], { from, to }: Scale) {
  const before = prices.filter(({ rate }) => rate < from)
  return { before, after: prices.filter(({ rate }) => rate > to) }
}

/** The quartiles of a group, which the plot draws; its other percentiles are in the table. */
export const quartilesOf = ({ percentiles }: RateGroup): readonly number[] =>
  percentiles.filter((_, index) => {
    const percent = percents[index]
    return percent !== undefined && percent >= 25 && percent <= 75
  })

/** Parts of the width; prices with the same shape in one part are one dot. */
const parts = 500

/** Spreads dots over the height of a distribution, the same way every time. */
const spread = (index: number) => (((index * 7919 + 15) % 31) - 15) * 1.1

interface Props {
  readonly group: RateGroup
  readonly unit: string
  readonly scale: Scale
  /** The place among the prices of the one under the pointer or the keyboard. */
  readonly active: number | undefined
  readonly marked: MarkedGroup | undefined
  readonly chosen: Price | undefined
}

/** The prices of a strip, with its quartiles. Too few prices for quartiles are labelled with their amounts instead. */
export function StripDrawing({ group, unit, scale, active, marked, chosen }: Props) {
  const { prices } = group
  const x = (rate: number) => `${placeOf(rate, scale)}%`
  const dots = useMemo(() => chooseDots(prices, scale), [prices, scale.from, scale.to])
  const { before, after } = findBeyond(prices, scale)
  const activePrice = active === undefined ? undefined : prices[active]
  const isFew = isListed(group)
  const height = heightOf(group)
  const y = (index: number) => height / 2 + (isFew ? 0 : spread(index))
  return (
    <>
      {scale.ticks.map((tick) => (
        <line key={tick} class="grid" x1={x(tick)} x2={x(tick)} y1={0} y2={height} />
      ))}
      {dots.map(({ price, index, flag }) => (
        <PriceMark key={index} flag={flag} x={x(price.rate)} y={y(index)} />
      ))}
      {(isFew ? [] : quartilesOf(group)).map((rate, index) => (
        <line
          key={index}
          class={index === 1 ? 'median' : 'quartile'}
          x1={x(rate)}
          x2={x(rate)}
          y1={4}
          y2={height - 4}
        />
      ))}
      {isFew && <Amounts prices={prices} unit={unit} scale={scale} />}
      {marked &&
        prices.map(
          (price, index) =>
            marked.prices.has(price) && <Diamond key={index} x={x(price.rate)} y={y(index)} height={height} />,
        )}
      {marked?.prices.size === 0 && <Diamond x={x(marked.range.least.amount)} y={height / 2} height={height} />}
      {chosen && <circle class="chosen-price" cx={x(chosen.rate)} cy={y(prices.indexOf(chosen))} r={8} />}
      <Beyond count={before.length} x={0} y={height / 2} />
      <Beyond count={after.length} x="100%" y={height / 2} />
      {activePrice && active !== undefined && <circle class="active" cx={x(activePrice.rate)} cy={y(active)} r={7} />}
    </>
  )
}

/** Chooses the prices within the scale that are drawn: one of each shape for each part of the width. */
function chooseDots(prices: readonly Price[], { from, to }: Scale) {
  const drawn = prices.flatMap((price, index) =>
    price.rate < from || price.rate > to ? [] : [{ price, index, flag: findShape(price) }],
  )
  const partOf = (rate: number) => Math.round(((rate - from) / (to - from)) * parts)
  return [...new Map(drawn.map((dot) => [`${dot.flag} ${partOf(dot.price.rate)}`, dot])).values()]
}

/** Room for the amount of a price, in percent of the width. */
const labelWidth = 20

/** Distance of a label from the middle of its dot, in pixels. */
const labelGap = 9

/** The amounts of a few prices: the least one before its dot, and the greatest behind it, where there is room. */
function Amounts({ prices, unit, scale }: Pick<Props, 'unit' | 'scale'> & { readonly prices: readonly Price[] }) {
  const [least, most] = [prices.at(0), prices.at(-1)]
  if (least === undefined || most === undefined) return null
  const [first, last] = [placeOf(least.rate, scale), placeOf(most.rate, scale)]
  const hasRoomBehind = last < 100 - labelWidth
  return (
    <>
      {(first !== last || !hasRoomBehind) && first > labelWidth && (
        <Label place={first} offset={-labelGap} anchor="end" text={formatRate(least.rate, unit)} />
      )}
      {hasRoomBehind && <Label place={last} offset={labelGap} anchor="start" text={formatRate(most.rate, unit)} />}
    </>
  )
}

interface LabelProps {
  readonly place: number
  readonly offset: number
  readonly anchor: 'start' | 'end'
  readonly text: string
}

const Label = ({ place, offset, anchor, text }: LabelProps) => (
  <text class="amount" x={`${place}%`} dx={offset} y={lowHeight / 2 + 4} text-anchor={anchor}>
    {text}
  </text>
)

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
    <svg aria-hidden="true" x={x} y={y} overflow="visible" class="beyond">
      <path d={isStart ? 'M1 0 9-6V6Z' : 'M-1 0-9-6V6Z'} />
      <text x={isStart ? 12 : -12} y={4} text-anchor={isStart ? 'start' : 'end'}>
        {count}
      </text>
    </svg>
  )
}
