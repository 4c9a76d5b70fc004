import { useMemo, useState } from 'preact/hooks'
import { countOf } from '../../schema/phrases.ts'
import { veryFew } from '../../schema/summary/percentiles.ts'
import { formatRate } from '../formats.ts'
import { type Price, percents, type RateGroup } from './rate-groups.ts'
import type { Scale } from './scale.ts'

interface Props {
  readonly group: RateGroup
  readonly unit: string
  /** The same for all strips of a plot. */
  readonly scale: Scale
}

const height = 56

/** Where a rate is, in percent of the width. */
export const placeOf = (rate: number, { from, to }: Scale) => ((rate - from) / (to - from)) * 100

/** Parts of the width; prices of one part are one dot. */
const parts = 500

/**
 * Plots the prices of one fee schedule on a line. Arrow keys move between them, and the pointer selects the nearest.
 * Source: ARIA Authoring Practices Guide, "Slider".
 */
export function Strip({ group: { payer, plan, terms, prices, percentiles }, unit, scale }: Props) {
  const [active, setActive] = useState<number>()
  const quartiles = percentiles.filter((_, index) => isQuartile(percents[index]))
  const dots = useMemo(
    () =>
      new Map(prices.map((price, index) => [Math.round((placeOf(price.rate, scale) / 100) * parts), { price, index }])),
    [prices, scale.from, scale.to],
  )
  const at = (rate: number) => `${placeOf(rate, scale)}%`
  const move = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: 1,
      ArrowUp: 1,
      ArrowLeft: -1,
      ArrowDown: -1,
      PageUp: 10,
      PageDown: -10,
    }
    const ends: Readonly<Record<string, number>> = { Home: 0, End: prices.length - 1 }
    const place =
      ends[event.key] ?? (steps[event.key] === undefined ? undefined : (active ?? -1) + (steps[event.key] ?? 0))
    if (place === undefined) return
    event.preventDefault()
    setActive(Math.max(0, Math.min(prices.length - 1, place)))
  }
  const point = (event: PointerEvent & { readonly currentTarget: SVGSVGElement }) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    const x = ((event.clientX - left) / width) * 100
    const distanceTo = (index: number) => Math.abs(placeOf(prices[index]?.rate ?? 0, scale) - x)
    setActive(prices.reduce((nearest, _, index) => (distanceTo(index) < distanceTo(nearest) ? index : nearest), 0))
  }
  const found = active === undefined ? undefined : prices[active]
  const said = found === undefined ? summarise(prices, quartiles, unit) : describe(found, unit)
  return (
    <div class="strip">
      <p>
        <bdi class="plan">{plan}</bdi> <bdi class="payer">{payer}</bdi>{' '}
        <bdi class="terms">{terms.map((term) => ` · ${term}`)}</bdi>
      </p>
      <div
        role="slider"
        tabIndex={0}
        aria-label={`Prices of ${plan} of ${payer}, ${terms.join(', ')}`}
        aria-valuemin={1}
        aria-valuemax={prices.length}
        aria-valuenow={(active ?? 0) + 1}
        aria-valuetext={said}
        onKeyDown={move}
        onBlur={() => setActive(undefined)}
      >
        <svg aria-hidden="true" onPointerMove={point} onPointerLeave={() => setActive(undefined)}>
          {scale.ticks.map((tick) => (
            <line key={tick} class="grid" x1={at(tick)} x2={at(tick)} y1={0} y2={height} />
          ))}
          {[...dots.values()].map(({ price, index }) => (
            <circle key={index} cx={at(price.rate)} cy={height / 2 + spread(index)} r={4} />
          ))}
          {(prices.length < veryFew ? [] : quartiles).map((rate, index) => (
            <line
              key={index}
              class={index === 1 ? 'median' : 'quartile'}
              x1={at(rate)}
              x2={at(rate)}
              y1={4}
              y2={height - 4}
            />
          ))}
          {found && <circle class="active" cx={at(found.rate)} cy={height / 2 + spread(active ?? 0)} r={7} />}
        </svg>
      </div>
      <p class="read">{said}</p>
    </div>
  )
}

/** What lines are drawn at: the rest is in the table. */
const isQuartile = (percent = 0) => percent >= 25 && percent <= 75

/** Spreads dots over the height of the strip, the same way every time. */
const spread = (index: number) => (((index * 7919 + 15) % 31) - 15) * 1.1

function summarise(prices: readonly Price[], quartiles: readonly number[], unit: string): string {
  const count = countOf(prices.length, 'price')
  const rates = [...new Set(prices.map(({ rate }) => rate))].map((rate) => formatRate(rate, unit))
  if (prices.length > 1 && rates.length === 1) return `${count}, all ${rates[0]}`
  if (prices.length < veryFew) return `${count}: ${rates.join(', ')}`
  const [first, median, third] = quartiles.map((rate) => formatRate(rate, unit))
  return `${count}, median ${median}, half between ${first} and ${third}`
}

function describe({ rate, npi, npiCount, name }: Price, unit: string): string {
  const provider = npi === '0' ? 'the whole TIN' : `NPI ${npi}`
  const others = npiCount > 1 ? ` and ${countOf(npiCount - 1, 'other')}` : ''
  return `${formatRate(rate, unit)} · ${name === '' ? '' : `${name} · `}${provider}${others}`
}
