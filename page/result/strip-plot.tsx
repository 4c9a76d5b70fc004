import { useMemo } from 'preact/hooks'
import type { ResultRow } from '../../client/results/result-row.ts'
import { countOf, formatNumber, nameSome } from '../../schema/phrases.ts'
import { everywhere } from '../../schema/summary/definition.ts'
import { formatTick } from '../formats.ts'
import { useLinked } from '../view-link.ts'
import { PriceTable } from './price-table.tsx'
import { type Choice, groupPrices, listCodes, listModifiers, listPlaces, listUnits } from './rate-groups.ts'
import { makeScale } from './scale.ts'
import { placeOf, Strip } from './strip.tsx'

/** Maximum numbers of strips drawn, and of plans named that have none. */
const [maxStrips, maxNamed] = [30, 5]

const namePlans = (rows: readonly ResultRow[]) => new Set(rows.map((row) => `${row['plan']} of ${row['payer']}`))

/** The prices of one code by fee schedule, of what is priced alike. The rows must be all that the code has. */
export function StripPlot({ rows }: { readonly rows: readonly ResultRow[] }) {
  const names = useMemo(
    () => new Map(rows.map((row) => [`${row['billing_code_type']} ${row['billing_code']}`, row])),
    [rows],
  )
  const code = useChoice('Billing code', rows, listCodes, (value) =>
    `${value} · ${String(names.get(value)?.['name'] ?? '').slice(0, 60)}`.replace(/ · $/, ''),
  )
  const unit = useChoice('Unit', code.rows, listUnits, (value) => unitNames[value] ?? value)
  const modifiers = useChoice('Modifiers', unit.rows, listModifiers, (value) => value || 'none')
  const place = useChoice('Place of service', modifiers.rows, listPlaces, (value) => value || 'not published')
  const groups = useMemo(() => groupPrices(place.rows), [place.rows])
  const drawn = groups.slice(0, maxStrips)
  const scale = makeScale(drawn.flatMap(({ prices }) => prices.map(({ rate }) => rate)))
  const title = [
    `${code.value} in ${unitNames[unit.value] ?? unit.value}`,
    modifiers.value === '' ? 'without modifiers' : `modifier ${modifiers.value}`,
    ...(place.value === '' ? [] : [place.value === everywhere ? 'at any place of service' : `at place ${place.value}`]),
  ].join(', ')
  const shown = namePlans(place.rows)
  const others = [...namePlans(code.rows)].filter((plan) => !shown.has(plan))
  return (
    <figure class="plot" aria-labelledby="plot-title">
      <div class="controls">
        {code.select}
        {unit.select}
        {modifiers.select}
        {place.select}
      </div>
      <figcaption id="plot-title">
        {title}. A dot is a published price, counted once however many providers have it; lines are quartiles of four
        prices or more.
        {others.length > 0 && ` Only prices of another unit, modifier or place: ${nameSome(others, maxNamed, '; ')}.`}
      </figcaption>
      <div class="strips">
        {drawn.map((group) => (
          <Strip
            key={JSON.stringify([title, group.payer, group.plan, group.terms])}
            group={group}
            unit={unit.value}
            scale={scale}
          />
        ))}
      </div>
      <svg class="axis" aria-hidden="true">
        {scale.ticks.map((tick) => (
          <text key={tick} x={`${placeOf(tick, scale)}%`} y="1.1em">
            {formatTick(tick, unit.value)}
          </text>
        ))}
      </svg>
      {groups.length > maxStrips && (
        <p>
          The {maxStrips} with the lowest medians are drawn, of {formatNumber(groups.length)}.
        </p>
      )}
      <PriceTable groups={groups} unit={unit.value} />
    </figure>
  )
}

/** A list to choose from, and the rows that have what is chosen: at first what most prices have. */
function useChoice(
  label: string,
  rows: readonly ResultRow[],
  list: (rows: readonly ResultRow[]) => readonly Choice[],
  nameOf: (value: string) => string,
) {
  const choices = useMemo(() => list(rows), [rows])
  const [wanted, setWanted] = useLinked(label.toLowerCase())
  const { value, rows: own } = choices.find((choice) => choice.value === wanted) ??
    choices[0] ?? { value: '', rows: [] }
  const id = label.toLowerCase().replaceAll(' ', '-')
  const select = choices.length > 1 && (
    <div>
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => setWanted(currentTarget.value)}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {nameOf(choice.value)} ({countOf(choice.prices, 'price')})
          </option>
        ))}
      </select>
    </div>
  )
  return { value, rows: own, select }
}

const unitNames: Readonly<Record<string, string>> = {
  usd: 'dollars',
  usd_per_day: 'dollars a day',
  percent_of_charges: 'percent of charges',
  unspecified: 'a unit that was not published',
}
