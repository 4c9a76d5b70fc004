import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { placeInTitle } from '../../client/results/places-of-service.ts'
import type { ResultRow } from '../../client/results/result-row.ts'
import { nameClass } from '../display/billing-classes.ts'
import { nameUnit } from '../display/formats.ts'
import { highlightValues } from '../highlights/highlight.ts'
import { HighlightField, useHighlight } from '../highlights/highlight-field.tsx'
import type { RowLink } from '../plot/chosen-row.ts'
import { usePictureWords } from '../plot/picture-words.ts'
import { listPlotted, type PlottedRows } from '../plot/plotted-rows.ts'
import { useChosen } from '../plot/use-chosen.ts'
import { type Basis, compareCodes, compareRows } from '../statistics/comparable-prices.ts'
import { countLeftOut, testBasis } from '../statistics/left-out.ts'
import { describeNotCompared, type SearchedPlan } from '../statistics/not-compared.ts'
import { AnswerView } from './answer-view.tsx'
import { Plot } from './plot.tsx'
import type { ResultParts } from './result-parts.ts'
import { useChoices } from './use-choices.tsx'
import { useCountedRows, useDoubtfulWords } from './use-doubtful.tsx'
import { OtherMedian, useWeight } from './weight-view.tsx'

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
  const { code, basis, rowsOfBasis, selects } = useChoices(rows, codes, weight)
  const { shared, groups } = useMemo(
    () => compareRows(code.value, basis, rowsOfBasis, weight),
    [code.value, basis, rowsOfBasis, weight],
  )
  const count = useMemo(() => countLeftOut(counted, weight), [all, weight])
  const inPlot = useMemo(
    () => countLeftOut(counted, weight, testBasis(code.value, basis)),
    [all, weight, code.value, basis],
  )
  const hasSure = counted.sure.length > 0
  const { warning, omission } = useDoubtfulWords({ count, inPlot }, hasSure)
  const highlight = useHighlight(all)
  const cellHighlight = useMemo(() => highlightValues(highlight, rows, weight), [highlight, rows, weight])
  // Thousands of cells are not compared again when a dot is chosen.
  const matrix = useMemo(
    () => parts && <parts.MatrixView codes={codes} weight={weight} highlight={cellHighlight} />,
    [parts, codes, weight, cellHighlight],
  )
  const { chosen, link, choose, close } = useChosen(groups, basis.place, weight)
  const plotted = useMemo(() => listPlotted(groups, weight), [groups, weight])
  const words = usePictureWords({ shared, weight, omission, highlight })
  const shown = useMemo(() => namePlans(rowsOfBasis), [rowsOfBasis])
  const plans = useMemo(() => namePlans(code.rows), [code.rows])
  return (
    <>
      <AnswerView
        shown={shared}
        codes={codes}
        weight={weight}
        notCompared={notCompared}
        omission={omission}
        warnings={
          <>
            {warning}
            {basis.billingClass === '' && <span>Whether professionals or facilities bill was not published</span>}
            <OtherMedian all={rows} groups={shared.groups} rows={rowsOfBasis} unit={basis.unit} weight={weight} />
          </>
        }
        facts={
          parts && (
            <parts.CountingFacts
              shown={shared}
              codes={codes}
              plans={plans.size}
              rows={rows}
              weight={weight}
              leftOut={hasSure ? { count, inPlot } : undefined}
            />
          )
        }
      >
        {children}
      </AnswerView>
      <Plot
        title={describePlot(code.value, basis)}
        unit={basis.unit}
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
        {selects}
      </Plot>
      {matrix}
      {renderRows(link, plotted)}
    </>
  )
}

/** Says what all prices of the plot have in common. */
const describePlot = (code: string, { billingClass, unit, modifiers, place }: Basis) =>
  [
    `${code} in ${nameUnit(unit)}`,
    nameClass(billingClass).toLowerCase(),
    modifiers === '' ? 'without modifiers' : `modifier ${modifiers}`,
    ...(place === '' ? [] : [placeInTitle(place)]),
  ].join(', ')
