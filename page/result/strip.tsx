import { useState } from 'preact/hooks'
import { formatCount, formatRate } from '../formats.ts'
import type { RateGroup } from './rate-groups.ts'
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

/**
 * Plots the rates of one fee schedule on a line. Arrow keys move between them, and the pointer selects the nearest.
 * Source: ARIA Authoring Practices Guide, "Slider".
 */
export function Strip({ group: { payer, plan, rates, quartiles }, unit, scale }: Props) {
  const [active, setActive] = useState<number>()
  const isSame = rates[0]?.rate === rates.at(-1)?.rate
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
    const ends: Readonly<Record<string, number>> = { Home: 0, End: rates.length - 1 }
    const place =
      ends[event.key] ?? (steps[event.key] === undefined ? undefined : (active ?? -1) + (steps[event.key] ?? 0))
    if (place === undefined) return
    event.preventDefault()
    setActive(Math.max(0, Math.min(rates.length - 1, place)))
  }
  const point = (event: PointerEvent & { readonly currentTarget: SVGSVGElement }) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    const x = ((event.clientX - left) / width) * 100
    const distances = rates.map(({ rate }) => Math.abs(placeOf(rate, scale) - x))
    setActive(distances.indexOf(Math.min(...distances)))
  }
  const found = active === undefined ? undefined : rates[active]
  const summary = summarise(
    rates.length,
    quartiles.map((rate) => formatRate(rate, unit)),
    isSame,
  )
  return (
    <div class="strip">
      <p>
        <bdi class="plan">{plan}</bdi> <bdi class="payer">{payer}</bdi>
      </p>
      <div
        role="slider"
        tabIndex={0}
        aria-label={`Rates of ${plan} of ${payer}`}
        aria-valuemin={1}
        aria-valuemax={rates.length}
        aria-valuenow={(active ?? 0) + 1}
        aria-valuetext={found === undefined ? summary : describe(found, unit)}
        onKeyDown={move}
        onBlur={() => setActive(undefined)}
      >
        <svg aria-hidden="true" onPointerMove={point} onPointerLeave={() => setActive(undefined)}>
          {scale.ticks.map((tick) => (
            <line key={tick} class="grid" x1={at(tick)} x2={at(tick)} y1={0} y2={height} />
          ))}
          {rates.map(({ rate }, index) => (
            <circle key={index} cx={at(rate)} cy={height / 2 + spread(index)} r={4} />
          ))}
          {(isSame ? [] : quartiles).map((rate, index) => (
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
      <p class="read">{found === undefined ? summary : describe(found, unit)}</p>
    </div>
  )
}

/** Spreads dots over the height of the strip, the same way every time. */
const spread = (index: number) => (((index * 7919 + 15) % 31) - 15) * 1.1

function summarise(count: number, [first, median, third]: readonly string[], isSame: boolean): string {
  if (count === 1) return `1 rate: ${median}`
  const rates = formatCount(count, 'rate', 'rates')
  return isSame ? `${rates}, all ${median}` : `${rates}, median ${median}, half between ${first} and ${third}`
}

function describe({ rate, npi, name }: RateGroup['rates'][number], unit: string): string {
  const provider = npi === '0' ? 'the whole TIN' : `NPI ${npi}`
  return `${formatRate(rate, unit)} · ${provider}${name === '' ? '' : ` · ${name}`}`
}
