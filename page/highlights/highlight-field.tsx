import { useMemo } from 'preact/hooks'
import type { ResultRow } from '../../client/results/result-row.ts'
import { countOf, formatNumber } from '../../schema/phrases.ts'
import { useLinked } from '../address/view-link.ts'
import { type Highlight, readHighlight } from './highlight.ts'

/** The parameter of the address with what the reader looks for. */
export const highlightParameter = 'where'

/** Returns what the reader looks for among rows; undefined if nothing. */
export function useHighlight(rows: readonly ResultRow[]): Highlight | undefined {
  const [text = ''] = useLinked(highlightParameter)
  return useMemo(() => readHighlight(text, rows), [text, rows])
}

/** The field for what the reader looks for. */
export function HighlightField() {
  const [text = '', setText] = useLinked(highlightParameter)
  return (
    <div class="mine">
      <label for="where">Where am I?</label>
      <input
        id="where"
        type="search"
        autocomplete="off"
        spellcheck={false}
        placeholder="Your TIN, NPI, name or a price"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value || undefined)}
      />
    </div>
  )
}

/** Maximum number of names to choose from. */
const maxNames = 8

interface AnswerProps {
  readonly highlight: Highlight | undefined
  /** Number of strips that have what is looked for. */
  readonly count: number
}

/** Says what was found, and offers the names that are meant if there are several. */
export function HighlightAnswer({ highlight, count }: AnswerProps) {
  const [, setText] = useLinked(highlightParameter)
  return (
    <>
      <p class="found" role="status">
        {describeHighlight(highlight, count)}
      </p>
      {highlight?.kind === 'ambiguous' && (
        <ul class="names" aria-label="Names that match">
          {highlight.names.slice(0, maxNames).map((name) => (
            <li key={name}>
              <button type="button" class="quiet inline" onClick={() => setText(name)}>
                <bdi>{name}</bdi>
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function describeHighlight(highlight: Highlight | undefined, count: number): string {
  if (highlight === undefined) return ''
  if (highlight.kind === 'nothing') return highlight.reason
  if (highlight.kind === 'ambiguous') {
    const more = highlight.names.length - maxNames
    return `${countOf(highlight.names.length, 'name')} match${more > 0 ? `; the first ${formatNumber(maxNames)} are listed: write more of the name` : ': choose one'}.`
  }
  if (count > 0) return `${highlight.label} is marked in ${countOf(count, 'strip')} below.`
  if (highlight.kind === 'amount') return `${highlight.label} is not an amount in the unit of this plot.`
  return `${highlight.label} has none of the prices of this plot: choose another code, modifier or place.`
}
