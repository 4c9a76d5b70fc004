import { useMemo, useState } from 'preact/hooks'
import { formatCount, formatNumber, formatTick } from '../formats.ts'
import { groupRates, listCodes, listUnits } from './rate-groups.ts'
import type { Row } from './read-rows.ts'
import { makeScale } from './scale.ts'
import { placeOf, Strip } from './strip.tsx'

/** Maximum number of fee schedules drawn. */
const maxStrips = 30

/** The rates of one code by fee schedule, in one unit. */
export function StripPlot({ rows }: { readonly rows: readonly Row[] }) {
  const codes = useMemo(() => listCodes(rows), [rows])
  const [chosen, setChosen] = useState(0)
  const [wantedUnit, setWantedUnit] = useState<string>()
  const code = codes[chosen] ?? codes[0]
  const units = useMemo(() => (code === undefined ? [] : listUnits(rows, code)), [rows, code])
  const unit = wantedUnit !== undefined && units.includes(wantedUnit) ? wantedUnit : units[0]
  const groups = useMemo(
    () => (code === undefined || unit === undefined ? [] : groupRates(rows, code, unit)),
    [rows, code, unit],
  )
  if (code === undefined || unit === undefined) return null
  const drawn = groups.slice(0, maxStrips)
  const scale = makeScale(drawn.flatMap(({ rates }) => rates.map(({ rate }) => rate)))
  return (
    <figure class="plot" aria-labelledby="plot-title">
      <div class="controls">
        <div>
          <label for="code">Billing code</label>
          <select id="code" value={chosen} onChange={({ currentTarget }) => setChosen(Number(currentTarget.value))}>
            {codes.map(({ type, code: each, name, rows: count }, index) => (
              <option key={`${type} ${each}`} value={index}>
                {`${type} ${each} · ${name.slice(0, 60)} (${formatNumber(count)})`}
              </option>
            ))}
          </select>
        </div>
        <div>
          <label for="unit">Unit</label>
          <select id="unit" value={unit} onChange={({ currentTarget }) => setWantedUnit(currentTarget.value)}>
            {units.map((each) => (
              <option key={each} value={each}>
                {unitNames[each] ?? each}
              </option>
            ))}
          </select>
        </div>
      </div>
      <figcaption id="plot-title">
        {code.type} {code.code} in {unitNames[unit] ?? unit}: a dot for each provider’s rate, lines at the quartiles.
        {units.length > 1 &&
          ` Rates in ${formatCount(units.length - 1, 'other unit', 'other units')} are not in this plot.`}
      </figcaption>
      <div class="strips">
        {drawn.map((group) => (
          <Strip key={`${group.payer}\n${group.plan}\n${code.code}\n${unit}`} group={group} unit={unit} scale={scale} />
        ))}
      </div>
      <svg class="axis" aria-hidden="true">
        {scale.ticks.map((tick) => (
          <text key={tick} x={`${placeOf(tick, scale)}%`} y="1.1em">
            {formatTick(tick, unit)}
          </text>
        ))}
      </svg>
      {groups.length > maxStrips && (
        <p>
          The first {maxStrips} of {formatNumber(groups.length)} fee schedules are drawn.
        </p>
      )}
    </figure>
  )
}

const unitNames: Readonly<Record<string, string>> = {
  usd: 'dollars',
  usd_per_day: 'dollars a day',
  percent_of_charges: 'percent of charges',
  unspecified: 'a unit that was not published',
}
