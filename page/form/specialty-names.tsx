import { useState } from 'preact/hooks'
import { Combobox } from './combobox.tsx'
import { describeSuggestions, useSpecialties } from './suggestions.ts'

/** Finds specialties by words of their names, and adds their codes to the list. */
export function SpecialtyNames({ onCode }: { readonly onCode: (code: string) => void }) {
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const isAsked = isOpen && text.trim() !== ''
  const suggestions = useSpecialties(text, isAsked)
  const items = isAsked ? suggestions.items : []
  return (
    <Combobox
      id="specialty-names"
      label="Find specialties by name"
      placeholder="Such as “radiology”"
      text={text}
      onText={setText}
      isOpen={isOpen}
      onOpen={setOpen}
      items={items}
      keyOf={({ code }) => code}
      show={({ code, name, grouping }) => (
        <>
          <bdi class="plan">{name}</bdi>{' '}
          <span class="payer">
            {grouping} · {code}
          </span>
        </>
      )}
      status={
        isAsked
          ? describeSuggestions(suggestions, items.length, 'No loaded specialty has these words. Enter its NUCC code.')
          : ''
      }
      onChoose={({ code }) => onCode(code)}
    />
  )
}
