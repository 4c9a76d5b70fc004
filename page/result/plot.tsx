import type { ComponentChildren } from 'preact'
import { useContext, useMemo, useRef } from 'preact/hooks'
import { formatNumber, nameSome } from '../../schema/phrases.ts'
import { describeGrey } from '../display/plan-hues.ts'
import { HuesContext } from '../display/plan-swatch.tsx'
import { type Highlight, locateHighlight } from '../highlights/highlight.ts'
import { HighlightAnswer } from '../highlights/highlight-field.tsx'
import { ShapeLegend } from '../highlights/price-symbol.tsx'
import { Axis, type AxisProps, describeBegin } from '../plot/axis.tsx'
import type { ChosenPrice } from '../plot/chosen-row.ts'
import type { PictureWords } from '../plot/draw-picture.ts'
import { makeBulkScale } from '../plot/scale.ts'
import { Strip } from '../plot/strip.tsx'
import { type DrawnGroup, layOut } from '../plot/strip-drawing.tsx'
import { listSharedTerms, type Price, type RateGroup } from '../statistics/rate-groups.ts'
import type { ResultParts } from './result-parts.ts'

/** Maximum numbers of strips drawn, and of plans named that have none. */
const [maxStrips, maxNamed] = [30, 5]

interface PlotProps {
  /** Names what is priced alike. */
  readonly title: string
  readonly unit: string
  /** The groups in the order of strips and table: those that the sentence compares, then others. */
  readonly groups: readonly RateGroup[]
  /** The groups on the same terms, which the sentence compares. */
  readonly shared: readonly RateGroup[]
  /** Fee schedules that have prices of the code, but none of these. */
  readonly others: readonly string[]
  /** Something that the reader looks for. */
  readonly highlight: Highlight | undefined
  readonly chosen: ChosenPrice | undefined
  readonly onChoose: (price: Price) => void
  readonly onClose: () => void
  /** The words of a picture of the plot, but for its caption. */
  readonly words: Omit<PictureWords, 'caption'>
  /** The views below the plot; undefined until their code is loaded. */
  readonly parts: ResultParts | undefined
  /** The lists to choose other prices from, and the field for the highlight. */
  readonly children: ComponentChildren
}

/** The prices of fee schedules, a strip for each, on one axis. */
export function Plot({
  title,
  unit,
  groups,
  shared,
  others,
  highlight,
  words,
  parts,
  children,
  chosen,
  onChoose,
  onClose,
}: PlotProps) {
  const figure = useRef<HTMLElement>(null)
  const shown = useMemo(() => groups.slice(0, maxStrips), [groups])
  const scale = useMemo(() => makeBulkScale(shown.map(({ prices }) => prices.map(({ rate }) => rate))), [shown])
  const drawn = useMemo(() => shown.map((group) => layOut(group, unit, scale)), [shown, unit, scale])
  const highlights = useMemo(
    () => shown.map((group) => locateHighlight(group, unit, highlight)),
    [shown, unit, highlight],
  )
  // No strip repeats these.
  const sharedTerms = listSharedTerms(shown)
  return (
    <figure ref={figure} class="plot" aria-labelledby="plot-title">
      <div class="controls choices">{children}</div>
      <HighlightAnswer highlight={highlight} count={highlights.filter((each) => each !== undefined).length} />
      <figcaption id="plot-title">
        {title}.
        {others.length > 0 &&
          ` Only prices of another class, unit, modifier or place: ${nameSome(others, maxNamed, '; ')}.`}
      </figcaption>
      <div class="strips">
        {drawn.map((each, index) => (
          <Strip
            key={JSON.stringify([title, each.group.payer, each.group.plan, each.group.terms])}
            drawn={each}
            unit={unit}
            ownTerms={each.group.terms.filter((term) => !sharedTerms.includes(term))}
            scale={scale}
            highlighted={highlights[index]}
            chosen={chosen?.group === each.group ? chosen : undefined}
            onChoose={onChoose}
            onClose={onClose}
          />
        ))}
      </div>
      <Axis scale={scale} unit={unit} />
      <Legend drawn={drawn} scale={scale} unit={unit} />
      {parts && <parts.ExtremesView groups={shared} unit={unit} />}
      {parts && (
        <parts.PictureButtons figure={figure} words={{ ...words, caption: [title, ...sharedTerms].join(' · ') }} />
      )}
      {groups.length > maxStrips && (
        <p>
          {maxStrips} of {formatNumber(groups.length)} are drawn: those on the terms of the sentence, then others, each
          from the lowest median.
        </p>
      )}
      {parts && <parts.PriceTable groups={groups} unit={unit} />}
    </figure>
  )
}

/** Explains the symbols and lines of a plot. */
function Legend({ drawn, scale, unit }: AxisProps & { readonly drawn: readonly DrawnGroup[] }) {
  const flags = new Set(drawn.flatMap(({ arrangement }) => arrangement.spots.flatMap(({ shape }) => shape ?? [])))
  const planHues = useContext(HuesContext)
  const groups = drawn.map(({ group }) => group)
  const hasQuartiles = drawn.some((each) => !each.isListed)
  return (
    <div class={`legend${planHues === undefined ? '' : ' hue-none'}`}>
      <p>
        {describeBegin({ scale, unit })}
        {describeDots(drawn)}
        {hasQuartiles ? '; lines are the median and quartiles.' : '.'} {describeGrey(planHues, groups)}
      </p>
      <ShapeLegend flags={flags} />
    </div>
  )
}

/** Says how many prices a dot is. */
function describeDots(drawn: readonly DrawnGroup[]): string {
  const counted = 'counted once as said above'
  if (drawn.some(({ arrangement, hasUnlabelled }) => arrangement.isCrowded || hasUnlabelled))
    return `A dot is a price, ${counted}, or several where there is no room for all`
  if (drawn.some(({ arrangement }) => arrangement.piles.length > 0))
    return `A dot is a price, ${counted}; a dot with × stands for that many equal prices`
  return `A dot is a price, ${counted}`
}
