import type { ColumnHome, ColumnType } from './column.ts'

/** What the loader keeps a value with until it writes the tables, and the table that the value ends up in. */
const homeOfUnit = {
  /** An element of `in_network`. */
  item: 'negotiated_rates',
  /** What many prices share. */
  terms: 'negotiated_rates',
  price: 'negotiated_rates',
  /** An element of `provider_references`, or the groups that are inline with a price. */
  reference: 'provider_groups',
  tin: 'provider_groups',
  /** An NPI of a TIN. */
  member: 'provider_groups',
  /** A name of a fee schedule. */
  name: 'fee_schedule_sources',
  /** A loaded file. */
  source: 'fee_schedule_sources',
} as const satisfies Record<string, ColumnHome>

export type ColumnUnit = keyof typeof homeOfUnit

/** How a published field is read, and the type of what is read. */
const typeOfReading = {
  text: 'varchar',
  /** A value of a list of `loader/published/values/known-values.ts`. */
  word: 'varchar',
  date: 'date',
  /** A list of texts: sorted, distinct. */
  set: 'varchar ARRAY',
  /** A list of billing codes. */
  codes: 'varchar ARRAY',
} as const satisfies Record<string, ColumnType>

export type PublishedReading = keyof typeof typeOfReading

/** `own`: the loader has code for the column. */
export type ColumnReading = PublishedReading | 'own'

/** Where a file has a unit's fields. Source: CMS schema, in-network-rates.json. */
const pathOfUnit: Readonly<Record<ColumnUnit, string>> = {
  item: 'in_network[].',
  terms: 'negotiated_prices[].',
  price: 'negotiated_prices[].',
  reference: 'provider_references[].',
  tin: 'provider_groups[].tin.',
  member: 'provider_groups[].',
  name: '',
  source: '',
}

/** The units whose fields can be read by their columns' names. */
export type PublishedUnit = 'item' | 'terms' | 'source'

/** `required`: an operator's own relation must have the column. `present`: every row of the service's own has a value. */
export type Presence = 'required' | 'present' | 'nullable'

/** What there is to know of a column beside its name. */
export interface ColumnRecord<Unit extends ColumnUnit, Reading extends ColumnReading> {
  readonly unit: Unit
  readonly reading: Reading
  readonly type: ColumnType
  readonly home: ColumnHome
  readonly presence: Presence
  readonly meaning: string
  readonly sourceField: (name: string) => string
}

/** A column that the loader reads from the field of the same name. */
export function published<Unit extends PublishedUnit, Reading extends PublishedReading>(
  unit: Unit,
  reading: Reading,
  presence: Presence,
  meaning: string,
): ColumnRecord<Unit, Reading> {
  const type = typeOfReading[reading]
  const sourceField = (name: string) => `${pathOfUnit[unit]}${name}${type === 'varchar ARRAY' ? '[]' : ''}`
  return { unit, reading, type, home: homeOfUnit[unit], presence, meaning, sourceField }
}

/**
 * A column that the loader has code for. It does not compile until that code is there.
 *
 * @param field the published field; absent if the value is computed
 */
export function own<Unit extends Exclude<ColumnUnit, 'terms'>>(
  unit: Unit,
  type: ColumnType,
  presence: Presence,
  meaning: string,
  field?: string,
): ColumnRecord<Unit, 'own'> {
  const sourceField = () => (field === undefined ? 'computed' : `${pathOfUnit[unit]}${field}`)
  return { unit, reading: 'own', type, home: homeOfUnit[unit], presence, meaning, sourceField }
}
