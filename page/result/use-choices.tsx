import { useMemo } from 'preact/hooks'
import { namePlace } from '../../client/results/places-of-service.ts'
import type { ResultRow } from '../../client/results/result-row.ts'
import type { SummaryWeight } from '../../contract/summaries.ts'
import { countOf } from '../../schema/phrases.ts'
import { useLinked } from '../address/view-link.ts'
import { nameClass } from '../display/billing-classes.ts'
import { nameUnit } from '../display/formats.ts'
import type { Basis, ComparableCode } from '../statistics/comparable-prices.ts'
import { type Choice, listClasses, listCodes, listModifiers, listPlaces, listUnits } from '../statistics/rate-groups.ts'

/**
 * The code, class, unit, modifiers and place of service that are shown, each with the rows that have them; at first
 * those on which the code is compared.
 */
export function useChoices(rows: readonly ResultRow[], codes: readonly ComparableCode[], weight: SummaryWeight) {
  const names = useMemo(
    () => new Map(rows.map((row) => [`${row['billing_code_type']} ${row['billing_code']}`, row])),
    [rows],
  )
  const code = useChoice('Billing code', { rows, weight }, listCodes, (value) =>
    `${value} · ${String(names.get(value)?.['name'] ?? '').slice(0, 60)}`.replace(/ · $/, ''),
  )
  const ofCode = codes.filter((compared) => compared.code === code.value)
  const billingClass = useChoice(
    'Billed by',
    { rows: code.rows, weight, preferred: useLinkedClass(ofCode) },
    listClasses,
    nameClass,
  )
  const preferred = ofCode.find((compared) => compared.basis.billingClass === billingClass.value)?.basis
  const unit = useChoice('Unit', { rows: billingClass.rows, weight, preferred: preferred?.unit }, listUnits, nameUnit)
  const modifiers = useChoice(
    'Modifiers',
    { rows: unit.rows, weight, preferred: preferred?.modifiers },
    listModifiers,
    (value) => value || 'none',
  )
  const place = useChoice(
    'Place of service',
    { rows: modifiers.rows, weight, preferred: preferred?.place },
    listPlaces,
    (value) => namePlace(value) || 'not published',
  )
  const basis: Basis = useMemo(
    () => ({ billingClass: billingClass.value, unit: unit.value, modifiers: modifiers.value, place: place.value }),
    [billingClass.value, unit.value, modifiers.value, place.value],
  )
  return {
    code,
    basis,
    /** The rows of the code and basis. */
    rowsOfBasis: place.rows,
    selects: [code, billingClass, unit, modifiers, place].map(({ select }) => select),
  }
}

/**
 * Returns the first class of a code that has what the address chooses, or the main one: an address of an earlier
 * version chooses a unit, modifiers and a place without a class.
 */
function useLinkedClass(ofCode: readonly ComparableCode[]): string | undefined {
  const [unit] = useLinked('unit')
  const [modifiers] = useLinked('modifiers')
  const [place] = useLinked('place of service')
  const linked = ofCode.find(({ bases }) =>
    bases.some(
      ({ basis, places }) =>
        (unit ?? basis.unit) === basis.unit &&
        (modifiers ?? basis.modifiers) === basis.modifiers &&
        (place === undefined || places.includes(place)),
    ),
  )
  return (linked ?? ofCode[0])?.basis.billingClass
}

interface Offer {
  readonly rows: readonly ResultRow[]
  readonly weight: SummaryWeight
  /** The value that is chosen at first. @default - the value that most prices have */
  readonly preferred?: string | undefined
}

/** A list to choose from, and the rows that have what is chosen. */
function useChoice(
  label: string,
  { rows, weight, preferred }: Offer,
  list: (rows: readonly ResultRow[], weight: SummaryWeight) => readonly Choice[],
  nameOf: (value: string) => string,
) {
  const choices = useMemo(() => list(rows, weight), [rows, weight])
  const [wanted, setWanted] = useLinked(label.toLowerCase())
  const find = (each: string | undefined) => choices.find((choice) => choice.value === each)
  const { value, rows: chosenRows } = find(wanted) ?? find(preferred) ?? choices[0] ?? { value: '', rows: [] }
  const id = label.toLowerCase().replaceAll(' ', '-')
  const select = choices.length > 1 && (
    <div>
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => setWanted(currentTarget.value)}>
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {nameOf(choice.value)} ({countOf(choice.prices, 'price')})
          </option>
        ))}
      </select>
    </div>
  )
  return { value, rows: chosenRows, select }
}
