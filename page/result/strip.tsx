import { useState } from 'preact/hooks'
import { formatCount, formatRate } from '../formats.ts'
import type { RateGroup } from './rate-groups.ts'

interface Props {
  readonly group: RateGroup
  readonly unit: string
  /** The rates at the ends of the strip, the same for all strips of a plot. */
  readonly from: number
  readonly to: number
}

const height = 56

/** Margin at both ends, in percent of the width. */
const edge = 1

/**
 * Plots the rates of one fee schedule on a line. Arrow keys move between them, and the pointer selects the nearest.
 * Source: ARIA Authoring Practices Guide, "Slider".
 */
export function Strip({ group: { payer, plan, rates, quartiles }, unit, from, to }: Props) {
  const [active, setActive] = useState<number>()
  const share = (rate: number) => edge + ((rate - from) / (to - from || 1)) * (100 - 2 * edge)
  const at = (rate: number) => `${share(rate)}%`
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
    const distances = rates.map(({ rate }) => Math.abs(share(rate) - x))
    setActive(distances.indexOf(Math.min(...distances)))
  }
  const found = active === undefined ? undefined : rates[active]
  const [first, median, third] = quartiles.map((rate) => formatRate(rate, unit))
  const summary = `${formatCount(rates.length, 'rate', 'rates')}, median ${median}, half between ${first} and ${third}`
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
          <line class="ground" x1={`${edge}%`} x2={`${100 - edge}%`} y1={height / 2} y2={height / 2} />
          {rates.map(({ rate }, index) => (
            <circle key={index} cx={at(rate)} cy={height / 2 + spread(index)} r={4} />
          ))}
          {quartiles.map((rate, index) => (
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
const spread = (index: number) => (((index * 7919) % 31) - 15) * 1.1

function describe({ rate, npi, name }: RateGroup['rates'][number], unit: string): string {
  const provider = npi === '0' ? 'the whole TIN' : `NPI ${npi}`
  return `${formatRate(rate, unit)} · ${provider}${name === '' ? '' : ` · ${name}`}`
}
