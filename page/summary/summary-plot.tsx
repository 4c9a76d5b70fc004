import { useContext, useMemo } from 'preact/hooks'
import type { ResultRow } from '../../client/results/result-row.ts'
import { countOf, formatNumber } from '../../schema/phrases.ts'
import { few } from '../../schema/summary/percentiles.ts'
import { nameUnit } from '../display/formats.ts'
import { describeGrey } from '../display/plan-hues.ts'
import { HuesContext } from '../display/plan-swatch.tsx'
import { Axis, describeBegin } from '../plot/axis.tsx'
import { makeBulkScale, type Scale } from '../plot/scale.ts'
import { BoxPlotStrip } from './box-plot-strip.tsx'
import { isFew } from './box-plot-words.ts'
import { arrangeBoxPlots, type BoxPlotPanel, type BoxPlotPanels, listAmounts, listShared } from './box-plots.ts'

interface Props {
  /** Rows of a summary, sorted. */
  readonly rows: readonly ResultRow[]
}

/** A panel with the scale of its axis. */
interface ScaledPanel extends BoxPlotPanel {
  readonly scale: Scale
}

/**
 * The rows of a summary, a strip for each, in panels of one code, modifiers and unit. It needs nothing but the rows and
 * the hues of their plans: it is also drawn where there is no service to ask.
 */
export function SummaryPlot({ rows }: Props) {
  const { panels, ...counts } = useMemo(() => {
    const arranged = arrangeBoxPlots(rows)
    const scaled = arranged.panels.map((panel) => ({ ...panel, scale: makeBulkScale(panel.boxPlots.map(listAmounts)) }))
    return { ...arranged, panels: scaled }
  }, [rows])
  if (panels.length === 0) return null
  return (
    <div class="plot">
      {panels.map((panel, index) => (
        <Panel key={index} panel={panel} />
      ))}
      <Legend panels={panels} {...counts} />
    </div>
  )
}

function Panel({ panel: { code, unit, boxPlots, scale } }: { readonly panel: ScaledPanel }) {
  const shared = listShared(boxPlots)
  const title = `${[`${code} in ${nameUnit(unit)}`, ...shared].join(' · ')}.`
  return (
    <figure class="panel" aria-label={title}>
      <figcaption>
        {title} {describeBegin({ scale, unit })}
      </figcaption>
      {boxPlots.map((boxPlot, index) => (
        <BoxPlotStrip
          key={index}
          boxPlot={boxPlot}
          unit={unit}
          distinctions={boxPlot.about.filter((text) => !shared.includes(text))}
          scale={scale}
        />
      ))}
      <Axis scale={scale} unit={unit} />
    </figure>
  )
}

interface LegendProps extends Omit<BoxPlotPanels, 'panels'> {
  readonly panels: readonly ScaledPanel[]
}

/** Explains the lines of a box plot, and says how many rows have none. */
function Legend({ panels, drawn, further, withoutAmount }: LegendProps) {
  const boxPlots = panels.flatMap((panel) => panel.boxPlots)
  const planHues = useContext(HuesContext)
  const isCut = panels.some(({ scale: { from, to }, boxPlots: plotted }) =>
    plotted.some(({ minimum, maximum }) => Number(minimum) < from || Number(maximum) > to),
  )
  const sentences = [
    'A line goes from the least to the greatest amount, and a thick one marks the median.',
    boxPlots.some(({ p25 }) => p25 !== undefined) && 'A box has the middle half.',
    boxPlots.some(({ p10 }) => p10 !== undefined) && 'Ticks are the 10th and the 90th percentile.',
    isCut && 'An arrow stands for amounts beyond the axis, far from all others.',
    boxPlots.some(isFew) && `Dashed: fewer than ${few} values say little of what is usual.`,
    describeGrey(planHues, boxPlots),
    further > 0 && `${drawn} of ${formatNumber(drawn + further)} rows are drawn, in the order of their codes.`,
    withoutAmount > 0 && `${countOf(withoutAmount, 'row')} without any amount cannot be drawn.`,
  ]
  return (
    <div class="legend">
      <p>{sentences.filter(Boolean).join(' ')}</p>
    </div>
  )
}
