import type { PastedValues } from './pasted-values.ts'

interface Props {
  readonly id: string
  readonly label: string
  readonly help: string
  /** The noun for one value, and for several. */
  readonly nouns: readonly [one: string, several: string]
  readonly text: string
  readonly parse: (text: string) => PastedValues
  readonly onText: (text: string) => void
}

/** Maximum number of values in a line of the summary. */
const maxNamed = 5

/** A list of values to type or paste, with what was read from it below. */
export function ValueField({ id, label, help, nouns, text, parse, onText }: Props) {
  const { values, duplicates, unreadable, suspect } = parse(text)
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <p id={`${id}-help`} class="help">
        {help}
      </p>
      <textarea
        id={id}
        rows={3}
        spellcheck={false}
        autocomplete="off"
        value={text}
        aria-describedby={`${id}-help ${id}-read`}
        aria-invalid={unreadable.length > 0}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
      <div id={`${id}-read`} class="read" aria-live="polite">
        {text.trim() !== '' && (
          <>
            <span>{count(values.length, nouns)}</span>
            {duplicates > 0 && <span>{count(duplicates, ['duplicate', 'duplicates'])} dropped</span>}
            {suspect.length > 0 && <span class="warning">Wrong check digit: {nameSome(suspect)}</span>}
            {unreadable.length > 0 && (
              <span class="wrong">
                Not {nouns[1]}: {nameSome(unreadable)}
              </span>
            )}
          </>
        )}
      </div>
    </div>
  )
}

const count = (number: number, [one, several]: readonly [string, string]) =>
  `${number.toLocaleString('en-US')} ${number === 1 ? one : several}`

function nameSome(values: readonly string[]): string {
  const more = values.length > maxNamed ? ` and ${(values.length - maxNamed).toLocaleString('en-US')} more` : ''
  return (
    values
      .slice(0, maxNamed)
      .map((value) => value.slice(0, 40))
      .join(', ') + more
  )
}
