import type { Column, ColumnType } from './column.ts'

interface UnitPositions {
  /** The table that its values are written to. */
  readonly home: Column['home']
  /** Where a file has its fields. Source: CMS schema, in-network-rates.json. */
  readonly path: string
}

/** The units that values belong to in the loader. */
const units = {
  /** An element of `in_network`. */
  item: { home: 'negotiated_rates', path: 'in_network[].' },
  /** Attributes that many prices share. */
  terms: { home: 'negotiated_rates', path: 'negotiated_prices[].' },
  price: { home: 'negotiated_rates', path: 'negotiated_prices[].' },
  /** An element of `provider_references`, or the groups that are inline with a price. */
  reference: { home: 'provider_groups', path: 'provider_references[].' },
  tin: { home: 'provider_groups', path: 'provider_groups[].tin.' },
  /** An NPI of a TIN. */
  member: { home: 'provider_groups', path: 'provider_groups[].' },
  /** A name of a fee schedule. */
  name: { home: 'fee_schedule_sources', path: '' },
  /** A loaded file. */
  source: { home: 'fee_schedule_sources', path: '' },
  /** A row of the view. */
  row: { home: 'view', path: '' },
  /** An NPI of NPPES. */
  provider: { home: 'providers', path: '' },
} as const satisfies Record<string, UnitPositions>

export type ColumnUnit = keyof typeof units

/** The column type that results from each reading of a published field. */
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

/** Units whose fields can be read by column name. */
export type PublishedUnit = 'item' | 'terms'

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
  const sourceField = (name: string) => `${units[unit].path}${name}${type === 'varchar ARRAY' ? '[]' : ''}`
  return { unit, reading, type, home: units[unit].home, presence, meaning, sourceField }
}

/** The meaning of a column, and the published field that it comes from. @default field - the value is computed */
interface Derivation {
  readonly meaning: string
  readonly field?: string
}

/** Declares a column that the loader has code for; it does not compile without that code. */
export function derived<Unit extends Exclude<ColumnUnit, 'terms'>>(
  unit: Unit,
  type: ColumnType,
  presence: Presence,
  { meaning, field }: Derivation,
): ColumnRecord<Unit, 'derived'> {
  const sourceField = () => (field === undefined ? 'computed' : `${units[unit].path}${field}`)
  return { unit, reading: 'derived', type, home: units[unit].home, presence, meaning, sourceField }
}
