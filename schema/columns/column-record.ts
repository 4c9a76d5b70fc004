import type { Column, ColumnType } from './column.ts'

/** The unit that a value belongs to in the loader, and the table that it is written to. */
const homeOfUnit = {
  /** An element of `in_network`. */
  item: 'negotiated_rates',
  /** Attributes that many prices share. */
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
  /** A row of the view. */
  row: 'view',
  /** An NPI of NPPES. */
  provider: 'providers',
} as const satisfies Record<string, Column['home']>

export type ColumnUnit = keyof typeof homeOfUnit

/** How a published field is read, and the resulting type. */
const typeOfReading = {
  text: 'varchar',
  /** A value of one of the lists in `loader/decode/values/known-values.ts`. */
  word: 'varchar',
  date: 'date',
  /** A list of strings, sorted and distinct. */
  set: 'varchar ARRAY',
  /** A list of billing codes. */
  codes: 'varchar ARRAY',
} as const satisfies Record<string, ColumnType>

export type PublishedReading = keyof typeof typeOfReading

/** `derived`: the loader has code for this column. */
export type ColumnReading = PublishedReading | 'derived'

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
  row: '',
  provider: '',
}

/** Units whose fields can be read by column name. */
export type PublishedUnit = 'item' | 'terms' | 'source'

/** `required`: an operator's relation must have the column. `present`: the service's own rows always have a value. */
export type Presence = 'required' | 'present' | 'nullable'

/** The properties of a column, except its name. */
export interface ColumnRecord<Unit extends ColumnUnit, Reading extends ColumnReading> {
  readonly unit: Unit
  readonly reading: Reading
  readonly type: ColumnType
  readonly home: Column['home']
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
 * Declares a column that the loader has code for; it does not compile without that code.
 *
 * @param field the published field; absent if the value is computed
 */
export function derived<Unit extends Exclude<ColumnUnit, 'terms'>>(
  unit: Unit,
  type: ColumnType,
  presence: Presence,
  meaning: string,
  field?: string,
): ColumnRecord<Unit, 'derived'> {
  const sourceField = () => (field === undefined ? 'computed' : `${pathOfUnit[unit]}${field}`)
  return { unit, reading: 'derived', type, home: homeOfUnit[unit], presence, meaning, sourceField }
}
