import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ResultRow } from '../../client/results/result-row.ts'
import type { SummaryWeight } from '../../contract/summaries.ts'
import { countOf } from '../../schema/phrases.ts'
import { useLinked } from '../address/view-link.ts'
import { nameUnit } from '../display/formats.ts'
import { namePlace, placeInTitle } from '../display/places-of-service.ts'
import { highlightValues } from '../highlights/highlight.ts'
import { HighlightField, useHighlight } from '../highlights/highlight-field.tsx'
import type { RowLink } from '../plot/chosen-row.ts'
import { usePictureWords } from '../plot/picture-words.ts'
import { listPlotted, type PlottedRows } from '../plot/plotted-rows.ts'
import { useChosen } from '../plot/use-chosen.ts'
import { type ComparableCode, compareCodes, compareRows } from '../statistics/comparable-prices.ts'
import { countLeftOut, testBasis } from '../statistics/left-out.ts'
import { describeNotCompared, type SearchedPlan } from '../statistics/not-compared.ts'
import { type Choice, listCodes, listModifiers, listPlaces, listUnits } from '../statistics/rate-groups.ts'
import { AnswerView } from './answer-view.tsx'
import { Plot } from './plot.tsx'
import type { ResultParts } from './result-parts.ts'
import { useCountedRows, useDoubtfulNotice } from './use-doubtful.tsx'
import { useWeight, WeightView } from './weight-view.tsx'

const namePlans = (rows: readonly ResultRow[]) => new Set(rows.map((row) => `${row['plan']} of ${row['payer']}`))

interface Props {
  /** All rows that the codes have. */
  readonly rows: readonly ResultRow[]
  /** The plans that were searched, as soon as they are known. */
  readonly searched: readonly SearchedPlan[] | undefined
  /** Facts that the reader must know of the result besides its prices. */
  readonly children?: ComponentChildren
  /** The views below the plot; undefined until their code is loaded. */
  readonly parts: ResultParts | undefined
  /** Renders the rows below the plot, linked to its dots. */
  readonly renderRows: (link: RowLink, plotted: PlottedRows) => ComponentChildren
}

/** A sentence that answers what was asked, and the prices of one code by fee schedule, of what is priced alike. */
export function StripPlot({ rows: all, searched = [], parts, children, renderRows }: Props) {
  const counted = useCountedRows(all)
  const { rows } = counted
  const weight = useWeight(rows)
  const codes = useMemo(() => compareCodes(rows, weight), [rows, weight])
  const notCompared = useMemo(
    () => describeNotCompared({ plans: searched, all, counted: rows, codes }),
    [searched, all, rows, codes],
  )
  const { code, unit, modifiers, place } = useChoices(rows, codes, weight)
  const { shared, groups } = useMemo(
    () => compareRows(code.value, unit.value, place.rows, weight),
    [code.value, place.rows, weight],
  )
  const count = useMemo(() => countLeftOut(counted, weight), [all, weight])
  const inPlot = useMemo(() => {
    const basis = { code: code.value, unit: unit.value, modifiers: modifiers.value, place: place.value }
    return countLeftOut(counted, weight, testBasis(basis))
  }, [all, weight, code.value, unit.value, modifiers.value, place.value])
  const { notice, omission } = useDoubtfulNotice({ count, inPlot }, counted.sure.length > 0)
  const title = [
    `${code.value} in ${nameUnit(unit.value)}`,
    modifiers.value === '' ? 'without modifiers' : `modifier ${modifiers.value}`,
    ...(place.value === '' ? [] : [placeInTitle(place.value)]),
  ].join(', ')
  const highlight = useHighlight(all)
  const cellHighlight = useMemo(() => highlightValues(highlight, rows, weight), [highlight, rows, weight])
  // Thousands of cells are not compared again when a dot is chosen.
  const matrix = useMemo(
    () => parts && <parts.MatrixView codes={codes} weight={weight} highlight={cellHighlight} />,
    [parts, codes, weight, cellHighlight],
  )
  const { chosen, link, choose, close } = useChosen(groups, place.value, weight)
  const plotted = useMemo(() => listPlotted(groups, weight), [groups, weight])
  const words = usePictureWords({ shared, weight, omission, highlight })
  const shown = useMemo(() => namePlans(place.rows), [place.rows])
  const plans = useMemo(() => namePlans(code.rows), [code.rows])
  return (
    <>
      <AnswerView
        shown={shared}
        codes={codes}
        plans={plans.size}
        notCompared={notCompared}
        omission={notice}
        counting={<WeightView all={rows} groups={shared.groups} rows={place.rows} unit={unit.value} weight={weight} />}
      >
        {children}
      </AnswerView>
      <Plot
        title={title}
        unit={unit.value}
        groups={groups}
        shared={shared.groups}
        others={[...plans].filter((plan) => !shown.has(plan))}
        highlight={highlight}
        chosen={chosen}
        onChoose={choose}
        onClose={close}
        words={words}
        parts={parts}
      >
        <HighlightField />
        {code.select}
        {unit.select}
        {modifiers.select}
        {place.select}
      </Plot>
      {matrix}
      {renderRows(link, plotted)}
    </>
  )
}

/**
 * The code, unit, modifiers and place of service that are shown, each with the rows that have them; at first those on
 * which the code is compared.
 */
function useChoices(rows: readonly ResultRow[], codes: readonly ComparableCode[], weight: SummaryWeight) {
  const names = useMemo(
    () => new Map(rows.map((row) => [`${row['billing_code_type']} ${row['billing_code']}`, row])),
    [rows],
  )
  const code = useChoice('Billing code', { rows, weight }, listCodes, (value) =>
    `${value} · ${String(names.get(value)?.['name'] ?? '').slice(0, 60)}`.replace(/ · $/, ''),
  )
  const basis = codes.find((compared) => compared.code === code.value)?.basis
  const unit = useChoice('Unit', { rows: code.rows, weight, preferred: basis?.unit }, listUnits, nameUnit)
  const modifiers = useChoice(
    'Modifiers',
    { rows: unit.rows, weight, preferred: basis?.modifiers },
    listModifiers,
    (value) => value || 'none',
  )
  const place = useChoice(
    'Place of service',
    { rows: modifiers.rows, weight, preferred: basis?.place },
    listPlaces,
    (value) => namePlace(value) || 'not published',
  )
  return { code, unit, modifiers, place }
}

interface Offer {
  readonly rows: readonly ResultRow[]
  readonly weight: SummaryWeight
  /** The value that is chosen at first. @default - the value that most prices have */
  readonly preferred?: string | undefined
}

/** A list to choose from, and the rows that have what is chosen. */
function useChoice(
  label: string,
  { rows, weight, preferred }: Offer,
  list: (rows: readonly ResultRow[], weight: SummaryWeight) => readonly Choice[],
  nameOf: (value: string) => string,
) {
  const choices = useMemo(() => list(rows, weight), [rows, weight])
  const [wanted, setWanted] = useLinked(label.toLowerCase())
  const find = (each: string | undefined) => choices.find((choice) => choice.value === each)
  const { value, rows: chosenRows } = find(wanted) ?? find(preferred) ?? choices[0] ?? { value: '', rows: [] }
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
  return { value, rows: chosenRows, select }
}
