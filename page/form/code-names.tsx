import { useState } from 'preact/hooks'
import type { NamedBillingCode } from '../../client/api.ts'
import { Combobox } from './combobox.tsx'
import { describeSuggestions, useBillingCodes } from './suggestions.ts'

/** Finds billing codes by words of their names, and adds them to the list. */
export function CodeNames({ onCode }: { readonly onCode: (code: string) => void }) {
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  // A single letter or digit finds too much to be asked for.
  const isAsked = isOpen && text.trim().length > 1
  const suggestions = useBillingCodes(text, isAsked)
  const items = isAsked ? suggestions.items : []
  return (
    <Combobox
      id="code-names"
      label="Find codes by name"
      placeholder="Such as “knee mri”"
      text={text}
      onText={setText}
      isOpen={isOpen}
      onOpen={setOpen}
      items={items}
      keyOf={({ billing_code_type: type, billing_code: code }) => `${type} ${code}`}
      show={(item) => <NamedCode item={item} />}
      status={
        isAsked
          ? describeSuggestions(
              suggestions,
              items.length,
              'No loaded file names such a code. Leave words out, or enter the code.',
            )
          : ''
      }
      onChoose={({ billing_code: code }) => onCode(code)}
    />
  )
}

const NamedCode = ({
  item: { billing_code_type: type, billing_code: code, name },
}: {
  readonly item: NamedBillingCode
}) => (
  <>
    <span class="plan">
      {type} {code}
    </span>{' '}
    <bdi class="payer">{name}</bdi>
  </>
)
