import { useRef, useState } from 'preact/hooks'
import type { CatalogueEntry, FeeSchedule } from '../../client/api.ts'
import { formatAge } from '../formats.ts'
import { useEntries, useSuggestions } from './suggestions.ts'

interface Props {
  readonly chosen: readonly FeeSchedule[]
  readonly onChosen: (chosen: readonly FeeSchedule[]) => void
}

const isSame = (one: FeeSchedule, other: FeeSchedule) => one.payer === other.payer && one.plan === other.plan

/**
 * Picks fee schedules by typing the name of a payer or plan. Source: ARIA Authoring Practices Guide, "Combobox", with a
 * list of suggestions.
 */
export function FeeSchedulePicker({ chosen, onChosen }: Props) {
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [active, setActive] = useState(-1)
  const input = useRef<HTMLInputElement>(null)
  const { entries: found, hasMore, state } = useSuggestions(text, isOpen)
  const described = useEntries(chosen)
  const entries = found.filter((entry) => !chosen.some((one) => isSame(one, entry)))
  const choose = ({ payer, plan }: CatalogueEntry) => {
    onChosen([...chosen, { payer, plan }])
    setText('')
    setActive(-1)
    input.current?.focus()
  }
  const remove = (gone: FeeSchedule) => {
    onChosen(chosen.filter((one) => !isSame(one, gone)))
    input.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (move !== undefined) {
      event.preventDefault()
      setOpen(true)
      setActive(
        entries.length === 0
          ? -1
          : (active + move + entries.length + (active < 0 && move < 0 ? 1 : 0)) % entries.length,
      )
    } else if (event.key === 'Enter' && isOpen) {
      const entry = entries[active]
      event.preventDefault()
      if (entry !== undefined) choose(entry)
    } else if (event.key === 'Escape') setOpen(false)
  }
  return (
    <div class="field">
      <label for="fee-schedule">Fee schedules</label>
      <p id="fee-schedule-help" class="help">
        Type the name of a payer or plan, then choose. Several are searched at once.
      </p>
      <div class="combobox">
        <input
          ref={input}
          id="fee-schedule"
          role="combobox"
          aria-expanded={isOpen}
          aria-controls="fee-schedule-list"
          aria-autocomplete="list"
          aria-activedescendant={isOpen && active >= 0 ? `fee-schedule-${active}` : undefined}
          aria-describedby="fee-schedule-help"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onFocus={() => setOpen(true)}
          onClick={() => setOpen(true)}
          onBlur={() => setOpen(false)}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value)
            setOpen(true)
            setActive(-1)
          }}
          onKeyDown={onKeyDown}
        />
        {/* Pressing the pointer on an option must not take the focus from the input. */}
        <div
          id="fee-schedule-list"
          role="listbox"
          aria-label="Fee schedules"
          hidden={!isOpen || entries.length === 0}
          onMouseDown={(event) => event.preventDefault()}
        >
          {entries.map((entry, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the keys are handled by the input, which keeps the focus.
            <div
              key={`${entry.payer}\n${entry.plan}`}
              id={`fee-schedule-${index}`}
              role="option"
              aria-selected={index === active}
              onClick={() => choose(entry)}
            >
              <bdi class="plan">{entry.plan}</bdi> <bdi class="payer">{entry.payer}</bdi>
              <span class="terms">{formatAge(entry)}</span>
            </div>
          ))}
        </div>
      </div>
      <p class="read" role="status">
        {describeFound(state, isOpen, found.length, entries.length, hasMore)}
      </p>
      {chosen.length > 0 && (
        <ul class="chosen" aria-label="Chosen fee schedules">
          {chosen.map((one, index) => (
            <li key={`${one.payer}\n${one.plan}`}>
              <bdi class="plan">{one.plan}</bdi> <bdi class="payer">{one.payer}</bdi>
              <span class="terms">{described[index] && formatAge(described[index])}</span>
              <button type="button" class="quiet" onClick={() => remove(one)}>
                Remove<span class="hidden"> {one.plan}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function describeFound(state: string, isOpen: boolean, count: number, offered: number, hasMore: boolean): string {
  if (state === 'failed') return 'The fee schedules could not be read. Type again to retry.'
  if (!isOpen) return ''
  if (state === 'loading') return 'Looking …'
  if (count === 0) return 'No payer or plan begins with this.'
  if (offered === 0) return 'You have chosen all that begin with this.'
  return hasMore ? `The first ${offered}; type more to narrow them.` : `${offered} found.`
}
