import { useRef, useState } from 'preact/hooks'
import { at } from '../../schema/at.ts'
import { countOf, formatNumber } from '../../schema/phrases.ts'
import { veryFew } from '../../schema/summary/percentiles.ts'
import { formatRate } from '../formats.ts'
import type { MarkedGroup } from './marks/mark.ts'
import { describeRange } from './marks/position.ts'
import type { ChosenPrice } from './plot/chosen-row.ts'
import { MarkKey } from './plot/price-mark.tsx'
import { PriceOrigin } from './plot/price-origin.tsx'
import { describeFlags } from './plot/price-shapes.ts'
import { findBeyond, heightOf, placeOf, quartilesOf, StripDrawing } from './plot/strip-drawing.tsx'
import type { Price, RateGroup } from './rate-groups.ts'
import type { Scale } from './scale.ts'

interface Props {
  readonly group: RateGroup
  readonly unit: string
  /** The same for all strips of a plot. */
  readonly scale: Scale
  /** The prices that the reader looks for, and their places. */
  readonly marked: MarkedGroup | undefined
  /** The price that is chosen, if it is one of the group. */
  readonly chosen: ChosenPrice | undefined
  readonly onChoose: (price: Price) => void
  readonly onClose: () => void
}

/** Places by which keys move among the prices of a strip. */
const steps: Readonly<Record<string, number>> = {
  ArrowRight: 1,
  ArrowUp: 1,
  ArrowLeft: -1,
  ArrowDown: -1,
  PageUp: 10,
  PageDown: -10,
}

/**
 * Plots the prices of one fee schedule on a line. Arrow keys move between them, and the pointer selects the nearest;
 * Enter or a click shows where it comes from.
 * Source: ARIA Authoring Practices Guide, "Slider".
 */
export function Strip({ group, unit, scale, marked, chosen, onChoose, onClose }: Props) {
  const { payer, plan, terms, prices } = group
  const [active, setActive] = useState<number>()
  const [isByKey, setByKey] = useState(false)
  const slider = useRef<HTMLDivElement>(null)
  const close = () => {
    slider.current?.focus()
    onClose()
  }
  const choose = (place: number, byKey: boolean) => {
    setByKey(byKey)
    onChoose(at(prices, place))
  }
  const move = (event: KeyboardEvent) => {
    if (active !== undefined && (event.key === 'Enter' || event.key === ' ')) {
      event.preventDefault()
      choose(active, true)
    }
    const ends: Readonly<Record<string, number>> = { Home: 0, End: prices.length - 1 }
    const step = steps[event.key]
    const place = ends[event.key] ?? (step === undefined ? undefined : (active ?? -1) + step)
    if (place === undefined) return
    event.preventDefault()
    setActive(Math.max(0, Math.min(prices.length - 1, place)))
  }
  const activePrice = active === undefined ? undefined : prices[active]
  const spoken = activePrice === undefined ? summarise(group, unit, scale) : describePrice(activePrice, unit)
  return (
    <div class="strip">
      <p>
        <bdi class="plan">{plan}</bdi> <bdi class="payer">{payer}</bdi>{' '}
        <bdi class="terms">{terms.map((term) => ` · ${term}`)}</bdi>
      </p>
      <div
        ref={slider}
        role="slider"
        tabIndex={0}
        aria-label={`Prices of ${plan} of ${payer}, ${terms.join(', ')}`}
        aria-valuemin={1}
        aria-valuemax={prices.length}
        aria-valuenow={(active ?? 0) + 1}
        aria-valuetext={spoken}
        onKeyDown={move}
        onBlur={() => setActive(undefined)}
      >
        <svg
          aria-hidden="true"
          height={heightOf(group)}
          onPointerMove={(event) => setActive(findNearest(prices, scale, event))}
          onPointerLeave={() => setActive(undefined)}
          onClick={(event) => choose(findNearest(prices, scale, event), false)}
        >
          <StripDrawing
            group={group}
            unit={unit}
            scale={scale}
            active={active}
            marked={marked}
            chosen={chosen?.price}
          />
        </svg>
      </div>
      <p class="read">{spoken}</p>
      {marked && (
        <p class="place">
          <MarkKey /> {describeRange(marked.range, unit)}
        </p>
      )}
      {chosen && <PriceOrigin chosen={chosen} unit={unit} takesFocus={isByKey} onClose={close} />}
    </div>
  )
}

/** Returns the place among the prices of the one that is nearest to the pointer. */
function findNearest(
  prices: readonly Price[],
  scale: Scale,
  { clientX, currentTarget }: MouseEvent & { readonly currentTarget: SVGSVGElement },
): number {
  const { left, width } = currentTarget.getBoundingClientRect()
  const x = ((clientX - left) / width) * 100
  const distances = prices.map(({ rate }) => Math.abs(placeOf(rate, scale) - x))
  return distances.indexOf(distances.reduce((least, distance) => Math.min(least, distance)))
}

/** Describes the prices of a strip: their quartiles, or their amounts if they are few. */
function summarise(group: RateGroup, unit: string, scale: Scale): string {
  const { prices } = group
  const count = countOf(prices.length, 'price')
  const amounts = [...new Set(prices.map(({ rate }) => formatRate(rate, unit)))]
  if (prices.length > 1 && amounts.length === 1) return `${count}, all ${amounts[0]}`
  if (prices.length < veryFew) return `${count}: ${amounts.join(', ')}`
  const [first, median, third] = quartilesOf(group).map((rate) => formatRate(rate, unit))
  return `${count}, median ${median}, half between ${first} and ${third}${describeBeyond(prices, unit, scale)}`
}

/** Says how many prices lie beyond the axis; empty if none do. */
function describeBeyond(prices: readonly Price[], unit: string, scale: Scale): string {
  const { before, after } = findBeyond(prices, scale)
  const [least, most] = [before.at(0), after.at(-1)]
  return [
    least && `; ${formatNumber(before.length)} below the axis, from ${formatRate(least.rate, unit)}`,
    most && `; ${formatNumber(after.length)} above the axis, up to ${formatRate(most.rate, unit)}`,
  ]
    .filter(Boolean)
    .join('')
}

function describePrice(price: Price, unit: string): string {
  const { rate, npi, npiCount, name } = price
  const provider = npi === '0' ? 'the whole TIN' : `NPI ${npi}`
  const otherNpis = npiCount > 1 ? ` and ${countOf(npiCount - 1, 'other')}` : ''
  return [formatRate(rate, unit), name, `${provider}${otherNpis}`, describeFlags(price)].filter(Boolean).join(' · ')
}
