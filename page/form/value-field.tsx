import type { ComponentChildren } from 'preact'
import type { Nouns } from '../../contract/filters.ts'
import { countOf, nameSome } from '../../schema/phrases.ts'
import { replaceByMeant } from '../values/code-hints.ts'
import type { ListField } from './list-fields.ts'

interface Props extends Pick<ListField, 'label' | 'help' | 'parse'> {
  readonly nouns: Nouns
  readonly id: string
  readonly text: string
  readonly onText: (text: string) => void
  /** Finds values by name and adds them to the list. */
  readonly finder?: ComponentChildren
}

/** Maximum number of values in a line of the summary. */
const maxNamed = 5

/** A list of values to type or paste, with what was read from it below. */
export function ValueField({ id, label, help, nouns, text, parse, onText, finder }: Props) {
  const { values, duplicates, unreadable, suspect, hints } = parse(text)
  // Values that differ from what was typed are shown, so that nobody has to guess what OR was read from.
  const words = new Set(text.toUpperCase().split(/[\s,;|:#"']+/))
  const isTranslated = values.some((value) => !words.has(value))
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <p id={`${id}-help`} class="help">
        {help}
      </p>
      <div class="list">
        {finder && <div class="finder">{finder}</div>}
        <textarea
          id={id}
          rows={2}
          spellcheck={false}
          autocomplete="off"
          placeholder={finder ? `Or type or paste ${nouns[1]}` : undefined}
          value={text}
          aria-describedby={`${id}-help ${id}-read`}
          aria-invalid={unreadable.length > 0}
          onInput={({ currentTarget }) => onText(currentTarget.value)}
        />
      </div>
      <div>
        <div id={`${id}-read`} class="read" aria-live="polite">
          {text.trim() !== '' && (
            <>
              <span>
                {countOf(values.length, ...nouns)}
                {isTranslated && `: ${nameFew(values)}`}
              </span>
              {duplicates > 0 && <span>{countOf(duplicates, 'duplicate')} dropped</span>}
              {suspect.length > 0 && <span class="warning">Wrong check digit: {nameFew(suspect)}</span>}
              {hints.slice(0, maxNamed).map(({ word, message }) => (
                <span key={word} class="warning hint">
                  {message}
                </span>
              ))}
              {unreadable.length > 0 && (
                <span class="wrong">
                  Not {nouns[1]}: {nameFew(unreadable)}
                </span>
              )}
            </>
          )}
        </div>
        {hints.slice(0, maxNamed).map((hint) =>
          hint.meant.length === 0 ? null : (
            <button
              key={hint.word}
              type="button"
              class="quiet offer"
              onClick={() => onText(replaceByMeant(text, hint))}
            >
              Use {nameSome(hint.meant, 3)} for {hint.word}
            </button>
          ),
        )}
      </div>
    </div>
  )
}

const nameFew = (values: readonly string[]) =>
  nameSome(
    values.map((value) => value.slice(0, 40)),
    maxNamed,
  )
