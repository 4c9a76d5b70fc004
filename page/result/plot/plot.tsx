import type { ComponentChildren } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import { formatNumber, nameSome } from '../../../schema/phrases.ts'
import { formatTick } from '../../formats.ts'
import { ExtremesView } from '../marks/extremes-view.tsx'
import { locateMark, type Mark } from '../marks/mark.ts'
import { MarkAnswer } from '../marks/mark-field.tsx'
import type { PictureWords } from '../picture/draw-picture.ts'
import { PictureButtons } from '../picture/picture-buttons.tsx'
import { PriceTable } from '../price-table.tsx'
import type { Price, RateGroup } from '../rate-groups.ts'
import { makeBulkScale } from '../scale.ts'
import { Strip } from '../strip.tsx'
import type { ChosenPrice } from './chosen-row.ts'
import { ShapeLegend } from './price-mark.tsx'
import { findShape } from './price-shapes.ts'
import { placeOf } from './strip-drawing.tsx'

/** Maximum numbers of strips drawn, and of plans named that have none. */
const [maxStrips, maxNamed] = [30, 5]

interface PlotProps {
  /** Names what is priced alike. */
  readonly title: string
  readonly unit: string
  readonly groups: readonly RateGroup[]
  /** The groups on the same terms, which the sentence compares. */
  readonly shared: readonly RateGroup[]
  /** Fee schedules that have prices of the code, but none of these. */
  readonly others: readonly string[]
  /** Something that the reader looks for. */
  readonly mark: Mark | undefined
  readonly chosen: ChosenPrice | undefined
  readonly onChoose: (price: Price) => void
  readonly onClose: () => void
  /** The words of a picture of the plot, but for its caption. */
  readonly words: Omit<PictureWords, 'caption'>
  /** The lists to choose other prices from, and the field for the mark. */
  readonly children: ComponentChildren
}

/** The prices of fee schedules, a strip for each, on one axis. */
export function Plot({
  title,
  unit,
  groups,
  shared,
  others,
  mark,
  words,
  children,
  chosen,
  onChoose,
  onClose,
}: PlotProps) {
  const figure = useRef<HTMLElement>(null)
  const drawn = useMemo(() => groups.slice(0, maxStrips), [groups])
  const scale = useMemo(() => makeBulkScale(drawn.map(({ prices }) => prices.map(({ rate }) => rate))), [drawn])
  const marks = useMemo(() => drawn.map((group) => locateMark(group, unit, mark)), [groups, unit, mark])
  const flags = useMemo(
    () => new Set(drawn.flatMap(({ prices }) => prices.flatMap((price) => findShape(price) ?? []))),
    [drawn],
  )
  return (
    <figure ref={figure} class="plot" aria-labelledby="plot-title">
      <div class="controls choices">{children}</div>
      <MarkAnswer mark={mark} count={marks.filter((each) => each !== undefined).length} />
      <figcaption id="plot-title">
        {title}.
        {others.length > 0 && ` Only prices of another unit, modifier or place: ${nameSome(others, maxNamed, '; ')}.`}
      </figcaption>
      <div class="strips">
        {drawn.map((group, index) => (
          <Strip
            key={JSON.stringify([title, group.payer, group.plan, group.terms])}
            group={group}
            unit={unit}
            scale={scale}
            marked={marks[index]}
            chosen={chosen?.group === group ? chosen : undefined}
            onChoose={onChoose}
            onClose={onClose}
          />
        ))}
      </div>
      <svg class="axis" aria-hidden="true">
        {scale.ticks.map((tick) => (
          <text key={tick} x={`${placeOf(tick, scale)}%`} y="1.1em">
            {formatTick(tick, unit)}
          </text>
        ))}
      </svg>
      <div class="legend">
        <p>
          {scale.from > 0 && `The axis begins at ${formatTick(scale.from, unit)}. `}A dot is a price, counted once as
          said above; lines are quartiles.
        </p>
        <ShapeLegend flags={flags} />
      </div>
      <ExtremesView groups={shared} unit={unit} />
      <PictureButtons figure={figure} words={{ ...words, caption: `${title}.` }} />
      {groups.length > maxStrips && (
        <p>
          {maxStrips} of {formatNumber(groups.length)} are drawn: first those on the terms of the sentence, then others,
          each from the lowest median.
        </p>
      )}
      <PriceTable groups={groups} unit={unit} />
    </figure>
  )
}
