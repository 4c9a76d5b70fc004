import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { type AskItems, describeSuggestions, useSuggestions } from './suggestions.ts'

interface Labels<Item> {
  readonly id: string
  readonly label: string
  readonly help?: string
  readonly placeholder?: string
  readonly keyOf: (item: Item) => string
  readonly show: (item: Item) => ComponentChildren
  readonly onChoose: (item: Item) => void
}

interface Props<Entry, Item> extends Labels<Item> {
  readonly ask: AskItems<Entry>
  /** Least length of a text that the service is asked for. */
  readonly minLength: number
  /** Returns the items to offer of the entries that the service has for a text. */
  readonly offer: (entries: readonly Entry[], text: string) => readonly Item[]
  /** The advice if the service has no entry for a text. */
  readonly none: string
}

/**
 * Chooses items by typing words of them. Source: ARIA Authoring Practices Guide, "Combobox", with a list of
 * suggestions.
 */
export function Combobox<Entry, Item>({ ask, minLength, offer, none, ...labels }: Props<Entry, Item>) {
  const { id, label, help } = labels
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const isLongEnough = text.trim().length >= minLength
  const suggestions = useSuggestions(text, isOpen && isLongEnough, ask)
  const items = isLongEnough ? offer(suggestions.items, text) : []
  return (
    <>
      <label for={id}>{label}</label>
      {help !== undefined && (
        <p id={`${id}-help`} class="help">
          {help}
        </p>
      )}
      <div class="combobox">
        <Suggesting
          {...labels}
          text={text}
          onText={setText}
          isOpen={isOpen}
          onOpen={setOpen}
          items={items}
          status={isLongEnough ? describeSuggestions(suggestions, items.length, none) : ''}
        />
      </div>
    </>
  )
}

interface SuggestingProps<Item> extends Labels<Item> {
  readonly text: string
  readonly onText: (text: string) => void
  readonly isOpen: boolean
  readonly onOpen: (isOpen: boolean) => void
  readonly items: readonly Item[]
  /** Says how many items there are, or why there are none. */
  readonly status: string
}

/** The input, and its list with the status below, which cover what follows them. */
function Suggesting<Item>(props: SuggestingProps<Item>) {
  const { id, label, help, placeholder, text, onText, isOpen, onOpen, items, keyOf, show, status, onChoose } = props
  const [active, setActive] = useState(-1)
  const input = useRef<HTMLInputElement>(null)
  const choose = (item: Item) => {
    onChoose(item)
    onText('')
    setActive(-1)
    input.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (move !== undefined) {
      event.preventDefault()
      onOpen(true)
      setActive(moveActive(active, move, items.length))
    } else if (event.key === 'Enter' && isOpen) {
      const item = items[active]
      event.preventDefault()
      if (item !== undefined) choose(item)
    } else if (event.key === 'Escape') onOpen(false)
  }
  return (
    <>
      <input
        ref={input}
        id={id}
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && active >= 0 ? `${id}-${active}` : undefined}
        aria-describedby={help === undefined ? undefined : `${id}-help`}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onFocus={() => onOpen(true)}
        onClick={() => onOpen(true)}
        onBlur={() => onOpen(false)}
        onInput={({ currentTarget }) => {
          onText(currentTarget.value)
          onOpen(true)
          setActive(-1)
        }}
        onKeyDown={onKeyDown}
      />
      <div class={isOpen && (items.length > 0 || status !== '') ? 'popup shown' : 'popup'}>
        {/* Pressing the pointer on an option must not take the focus from the input. */}
        <div
          id={`${id}-list`}
          role="listbox"
          aria-label={label}
          hidden={!isOpen || items.length === 0}
          onMouseDown={(event) => event.preventDefault()}
        >
          {items.map((item, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys.
            // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus.
            <div
              key={keyOf(item)}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === active}
              onClick={() => choose(item)}
            >
              {show(item)}
            </div>
          ))}
        </div>
        <p class="help" role="status">
          {isOpen && status}
        </p>
      </div>
    </>
  )
}

/** Moves to the next or previous item, around the ends of the list; from none, to the first or last. */
function moveActive(active: number, move: number, count: number): number {
  if (count === 0) return -1
  const start = active < 0 && move < 0 ? 0 : active
  return (start + move + count) % count
}
