import { useMemo, useRef, useState } from 'preact/hooks'
import { at } from '../../schema/at.ts'
import { PlanSwatch, useHueClass } from '../display/plan-swatch.tsx'
import type { HighlightedGroup } from '../highlights/highlight.ts'
import { describeRange } from '../highlights/position.ts'
import { HighlightKey } from '../highlights/price-symbol.tsx'
import type { Price } from '../statistics/rate-groups.ts'
import type { ChosenPrice } from './chosen-row.ts'
import { PriceOrigin } from './price-origin.tsx'
import type { Scale } from './scale.ts'
import { type DrawnGroup, heightAt, StripDrawing } from './strip-drawing.tsx'
import { describePrice, describePrices, labelPrices } from './strip-words.ts'

interface Props {
  readonly drawn: DrawnGroup
  readonly unit: string
  /** The terms that not all strips of the plot have. */
  readonly ownTerms: readonly string[]
  /** The same for all strips of a plot. */
  readonly scale: Scale
  /** The prices that the reader looks for, and their places. */
  readonly highlighted: HighlightedGroup | undefined
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
export function Strip({ drawn, unit, ownTerms, scale, highlighted, chosen, onChoose, onClose }: Props) {
  const { group, layout, arrangement } = drawn
  const { payer, plan, prices } = group
  const [active, setActive] = useState<number>()
  const hue = useHueClass(group)
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
  // The words about all prices stay as they are while the pointer moves.
  const label = useMemo(() => labelPrices(group, unit, scale), [group, unit, scale])
  const summary = useMemo(() => describePrices(group, unit, scale), [group, unit, scale])
  const described = activePrice && describePrice(activePrice, group, unit)
  return (
    <div class={`strip ${hue}`}>
      <p class="label">
        <span>
          <PlanSwatch payer={payer} plan={plan} />
          <bdi class="plan">{plan}</bdi> <bdi class="payer">{[payer, ...ownTerms].join(' · ')}</bdi>
        </span>
        <span class="said">
          <span>{label}</span>
          {described && <span class="under">{described}</span>}
        </span>
      </p>
      <div
        ref={slider}
        role="slider"
        tabIndex={0}
        aria-label={[`Prices of ${plan} of ${payer}`, ...ownTerms].join(', ')}
        aria-valuemin={1}
        aria-valuemax={prices.length}
        aria-valuenow={(active ?? 0) + 1}
        aria-valuetext={described ?? summary}
        onKeyDown={move}
        onBlur={() => setActive(undefined)}
      >
        <svg
          aria-hidden="true"
          class={arrangement.isCrowded ? 'crowded' : ''}
          height={layout.height}
          onPointerMove={(event) => setActive(findNearest(drawn, event))}
          onPointerLeave={() => setActive(undefined)}
          onClick={(event) => choose(findNearest(drawn, event), false)}
        >
          <StripDrawing drawn={drawn} scale={scale} active={active} highlighted={highlighted} chosen={chosen?.price} />
        </svg>
      </div>
      {highlighted && (
        <p class="place">
          <HighlightKey /> {describeRange(highlighted.range, unit)}
        </p>
      )}
      {chosen && <PriceOrigin chosen={chosen} unit={unit} takesFocus={isByKey} onClose={close} />}
    </div>
  )
}

/** Returns the position among the prices of the one that is nearest to the pointer. */
function findNearest(
  drawn: DrawnGroup,
  { clientX, clientY, currentTarget }: MouseEvent & { readonly currentTarget: SVGSVGElement },
): number {
  const { left, top, width } = currentTarget.getBoundingClientRect()
  const distances = drawn.arrangement.spots.map(({ position }, index) =>
    Math.hypot(left + (position / 100) * width - clientX, top + heightAt(drawn, index) - clientY),
  )
  return distances.indexOf(distances.reduce((least, distance) => Math.min(least, distance)))
}
