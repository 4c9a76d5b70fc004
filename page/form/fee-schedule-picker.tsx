import { useRef, useState } from 'preact/hooks'
import type { CatalogueEntry } from '../../client/api.ts'
import { nameSome } from '../../schema/phrases.ts'
import { formatAge, nameAsked } from '../formats.ts'
import type { Chosen } from './draft.ts'
import { useEntries, useSuggestions } from './suggestions.ts'

interface Props {
  readonly chosen: readonly Chosen[]
  readonly onChosen: (chosen: readonly Chosen[]) => void
}

const keyOf = (one: Chosen) => ('plan_id' in one ? one.plan_id : `${one.payer}\n${one.plan}`)

const isSame = (one: Chosen, other: Chosen) => keyOf(one) === keyOf(other)

/** An EIN or a HIOS id, which several plans may share. Source: CMS, "HIOS Plan ID", 10 or 14 characters. */
const isPlanId = (text: string) => /^(?:\d{2}-?\d{7}|\d{5}[a-z]{2}\d{3}(?:\d{4})?|\d{10})$/i.test(text)

/**
 * Picks fee schedules by typing words of a payer, plan or sponsor, or a plan id. Source: ARIA Authoring Practices Guide, "Combobox", with a
 * list of suggestions.
 */
export function FeeSchedulePicker({ chosen, onChosen }: Props) {
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [active, setActive] = useState(-1)
  const input = useRef<HTMLInputElement>(null)
  const { entries: found, hasMore, state } = useSuggestions(text, isOpen)
  const described = useEntries(chosen)
  const all = found.length > 0 && isPlanId(text.trim()) ? [{ plan_id: text.trim() }] : []
  const entries: readonly (CatalogueEntry | { plan_id: string })[] = [...all, ...found].filter(
    (entry) => !chosen.some((one) => isSame(one, entry)),
  )
  const choose = (one: Chosen) => {
    onChosen([...chosen, 'plan_id' in one ? one : { payer: one.payer, plan: one.plan }])
    setText('')
    setActive(-1)
    input.current?.focus()
  }
  const remove = (gone: Chosen) => {
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
        Type words of a payer, plan or employer, or a plan id (EIN, HIOS), then choose. Several are searched at once.
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
              key={keyOf(entry)}
              id={`fee-schedule-${index}`}
              role="option"
              aria-selected={index === active}
              onClick={() => choose(entry)}
            >
              <Named one={entry} {...('payer' in entry && { entry })} />
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
            <li key={keyOf(one)}>
              <Named one={one} {...(described[index] && { entry: described[index] })} />
              <button type="button" class="quiet" onClick={() => remove(one)}>
                Remove<span class="hidden"> {nameAsked(one).plan}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function Named({ one, entry }: { readonly one: Chosen; readonly entry?: CatalogueEntry }) {
  const { plan, payer } = nameAsked(one)
  const sponsors = entry?.plan_sponsor_names ?? []
  return (
    <>
      <bdi class="plan">{plan}</bdi> <bdi class="payer">{payer}</bdi>
      <span class="terms">
        {sponsors.length > 0 && <bdi> · for {nameSome(sponsors, 2)}</bdi>}
        {entry && formatAge(entry)}
      </span>
    </>
  )
}

function describeFound(state: string, isOpen: boolean, count: number, offered: number, hasMore: boolean): string {
  if (state === 'failed') return 'The fee schedules could not be read. Add a word, or type again to retry.'
  if (!isOpen) return ''
  if (state === 'loading') return 'Looking …'
  if (count === 0)
    return 'Nothing has all of these words. Leave some out, or type only their beginnings; an EIN has nine digits.'
  if (offered === 0) return 'You have chosen all that are found.'
  return hasMore ? `The first ${offered}; type more to narrow them.` : `${offered} found.`
}
