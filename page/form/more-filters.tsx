import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { addWord, type Draft } from './draft.ts'
import { type ListField, type ListName, providerFields } from './list-fields.ts'
import { ProviderNames, SpecialtyNames } from './name-finders.tsx'
import { useProviderLists } from './suggestions.ts'
import { ValueField } from './value-field.tsx'

interface Props {
  readonly draft: Draft
  readonly onChange: (changed: Partial<Draft>) => void
}

/** The filters that few searches need, folded until one of them is filled in. */
export function MoreFilters({ draft, onChange }: Props) {
  const served = useProviderLists()
  const count = [draft.asOf, ...providerFields.map(({ name }) => draft[name] ?? '')].filter(
    (text) => text !== '',
  ).length
  // Lists of `providers` need NPPES, or columns of an own relation. A link may fill in one that the service lacks.
  const isShown = ({ name, filter }: ListField) => !('parent' in filter) || draft[name] || served?.includes(name)
  const finders: Partial<Record<ListName, ComponentChildren>> = {
    // Names come from NPPES, which serves these lists, too.
    ...(served?.includes('zips') && {
      npis: <ProviderNames onNpi={(npi) => onChange({ npis: addWord(draft.npis, npi) })} />,
    }),
    taxonomies: <SpecialtyNames onCode={(code) => onChange({ taxonomies: addWord(draft.taxonomies, code) })} />,
  }
  const hasPlaces = served === undefined || served.length > 0
  const [isOpen, setOpen] = useState(count > 0)
  // A link may fill them in later. They stay open when the last one is emptied, because somebody may be typing there.
  useEffect(() => {
    if (count > 0) setOpen(true)
  }, [count > 0])
  return (
    <details class="more" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        More filters: providers, {hasPlaces && 'places, specialties, '}an earlier day
        {count > 0 && ` (${count} in use)`}
      </summary>
      <p class="help">Paste columns of a spreadsheet as they are. A rate must match every field that is filled in.</p>
      <div class="columns">
        {providerFields.filter(isShown).map(({ name, filter, ...field }) => (
          <ValueField
            key={name}
            id={name}
            {...field}
            nouns={filter.nouns}
            text={draft[name] ?? ''}
            onText={(text) => onChange({ [name]: text })}
            finder={finders[name]}
          />
        ))}
        <div class="field">
          <label for="as-of">As of</label>
          <p id="as-of-help" class="help">
            Rates as they were searched at the end of this day (UTC). Empty: the rates of now.
          </p>
          <div>
            <input
              id="as-of"
              type="date"
              value={draft.asOf}
              aria-describedby="as-of-help"
              onInput={({ currentTarget }) => onChange({ asOf: currentTarget.value })}
            />
          </div>
        </div>
      </div>
    </details>
  )
}
