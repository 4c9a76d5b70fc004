import { useMemo } from 'preact/hooks'
import type { ResultRow } from '../../client/results/result-row.ts'
import { countOf, formatNumber } from '../../schema/phrases.ts'
import { useLinked } from '../address/view-link.ts'
import { type Mark, readMark } from './mark.ts'

/** The parameter of the address with what the reader looks for. */
export const markParameter = 'where'

/** Returns what the reader looks for among rows; undefined if nothing. */
export function useMark(rows: readonly ResultRow[]): Mark | undefined {
  const [text = ''] = useLinked(markParameter)
  return useMemo(() => readMark(text, rows), [text, rows])
}

/** The field for what the reader looks for. */
export function MarkField() {
  const [text = '', setText] = useLinked(markParameter)
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
  readonly mark: Mark | undefined
  /** Number of strips that have what is looked for. */
  readonly count: number
}

/** Says what was found, and offers the names that are meant if there are several. */
export function MarkAnswer({ mark, count }: AnswerProps) {
  const [, setText] = useLinked(markParameter)
  return (
    <>
      <p class="found" role="status">
        {describeMark(mark, count)}
      </p>
      {mark?.kind === 'ambiguous' && (
        <ul class="names" aria-label="Names that match">
          {mark.names.slice(0, maxNames).map((name) => (
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

function describeMark(mark: Mark | undefined, count: number): string {
  if (mark === undefined) return ''
  if (mark.kind === 'nothing') return mark.reason
  if (mark.kind === 'ambiguous') {
    const more = mark.names.length - maxNames
    return `${countOf(mark.names.length, 'name')} match${more > 0 ? `; the first ${formatNumber(maxNames)} are listed: write more of the name` : ': choose one'}.`
  }
  if (count > 0) return `${mark.label} is marked in ${countOf(count, 'strip')} below.`
  if (mark.kind === 'amount') return `${mark.label} is not an amount in the unit of this plot.`
  return `${mark.label} has none of the prices of this plot: choose another code, modifier or place.`
}
