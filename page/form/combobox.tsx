import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'

interface Props<Item> {
  readonly id: string
  readonly label: string
  readonly help?: string
  readonly placeholder?: string
  readonly text: string
  readonly onText: (text: string) => void
  readonly isOpen: boolean
  readonly onOpen: (isOpen: boolean) => void
  readonly items: readonly Item[]
  readonly keyOf: (item: Item) => string
  readonly show: (item: Item) => ComponentChildren
  /** Says how many items there are, or why there are none. */
  readonly status: string
  readonly onChoose: (item: Item) => void
}

/**
 * Chooses items by typing words of them. Source: ARIA Authoring Practices Guide, "Combobox", with a list of
 * suggestions.
 */
export const Combobox = <Item,>(props: Props<Item>) => (
  <>
    <label for={props.id}>{props.label}</label>
    {props.help !== undefined && (
      <p id={`${props.id}-help`} class="help">
        {props.help}
      </p>
    )}
    <div class="combobox">
      <Suggesting {...props} />
    </div>
  </>
)

/** The input, and its list with the status below, which cover what follows them. */
function Suggesting<Item>(props: Props<Item>) {
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
