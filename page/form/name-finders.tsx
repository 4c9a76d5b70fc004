import { Combobox } from './combobox.tsx'
import { askBillingCodes, askProviders, askSpecialties } from './suggestions.ts'

interface CodeProps {
  readonly onCode: (code: string) => void
}

/** Finds billing codes by words of their names, and adds them to the list. */
export const CodeNames = ({ onCode }: CodeProps) => (
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
export const SpecialtyNames = ({ onCode }: CodeProps) => (
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

interface ProviderProps {
  readonly onNpi: (npi: string) => void
}

/** Finds providers by words of their names and a place, and adds their NPIs to the list. */
export const ProviderNames = ({ onNpi }: ProviderProps) => (
  <Combobox
    id="provider-names"
    label="Find providers by name"
    placeholder="Such as “jankowski OR”"
    ask={askProviders}
    minLength={3}
    offer={(providers) => providers}
    none="No provider there has these words in its name. Leave words out, or enter the NPI."
    keyOf={({ npi }) => String(npi)}
    show={({ npi, name, specialty, city, state, zip }) => (
      <>
        <bdi class="plan">{name ?? npi}</bdi>{' '}
        <bdi class="payer">
          {[specialty, city, [state, zip].filter(Boolean).join(' '), `NPI ${npi}`].filter(Boolean).join(' · ')}
        </bdi>
      </>
    )}
    onChoose={({ npi }) => onNpi(String(npi))}
  />
)
