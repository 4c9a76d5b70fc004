import { Combobox } from './combobox.tsx'
import { askBillingCodes, askSpecialties } from './suggestions.ts'

interface Props {
  readonly onCode: (code: string) => void
}

/** Finds billing codes by words of their names, and adds them to the list. */
export const CodeNames = ({ onCode }: Props) => (
  <Combobox
    id="code-names"
    label="Find codes by name"
    placeholder="Such as “knee mri”"
    ask={askBillingCodes}
    // A single letter or digit finds too much to be asked for.
    minLength={2}
    offer={(codes) => codes}
    none="No loaded file names such a code. Leave words out, or enter the code."
    keyOf={({ billing_code_type: type, billing_code: code }) => `${type} ${code}`}
    show={({ billing_code_type: type, billing_code: code, name }) => (
      <>
        <span class="plan">
          {type} {code}
        </span>{' '}
        <bdi class="payer">{name}</bdi>
      </>
    )}
    onChoose={({ billing_code: code }) => onCode(code)}
  />
)

/** Finds specialties by words of their names, and adds their codes to the list. */
export const SpecialtyNames = ({ onCode }: Props) => (
  <Combobox
    id="specialty-names"
    label="Find specialties by name"
    placeholder="Such as “radiology”"
    ask={askSpecialties}
    minLength={1}
    offer={(specialties) => specialties}
    none="No loaded specialty has these words. Enter its NUCC code."
    keyOf={({ code }) => code}
    show={({ code, name, grouping }) => (
      <>
        <bdi class="plan">{name}</bdi>{' '}
        <span class="payer">
          {grouping} · {code}
        </span>
      </>
    )}
    onChoose={({ code }) => onCode(code)}
  />
)
