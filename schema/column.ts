/** SQL types that Athena (Trino) and DuckDB spell alike. */
export type ColumnType = 'varchar' | 'bigint' | 'integer' | 'decimal(18,4)' | 'date' | 'varchar ARRAY'

/** The type in Trino's spelling. Athena rejects a view as stale if its column types differ from its SQL. */
export function trinoType(type: ColumnType): string {
  return type === 'varchar ARRAY' ? 'array(varchar)' : type
}

/** Which table stores the column: one row of it is a price, a provider group's NPI, or a file of a fee schedule. */
export type ColumnHome = 'negotiated_rates' | 'provider_groups' | 'fee_schedule_sources'

/**
 * What the loader keeps a value with until it writes the tables: an element of `in_network`, the terms that many prices
 * share, one price, a provider reference, a TIN in it, an NPI of that TIN, a name of a fee schedule, or a file.
 */
export type ColumnUnit = keyof typeof homeOfUnit

export const homeOfUnit = {
  item: 'negotiated_rates',
  terms: 'negotiated_rates',
  price: 'negotiated_rates',
  reference: 'provider_groups',
  tin: 'provider_groups',
  member: 'provider_groups',
  name: 'fee_schedule_sources',
  source: 'fee_schedule_sources',
} as const satisfies Record<string, ColumnHome>

/** How the loader reads a column from the published field of the same name. A `word` is a value of a list. */
export type PublishedReading = keyof typeof typeOfReading

export const typeOfReading = {
  text: 'varchar',
  word: 'varchar',
  date: 'date',
  set: 'varchar ARRAY',
  codes: 'varchar ARRAY',
} as const satisfies Record<string, ColumnType>

/** `own`: the loader has code for this column, and does not compile without it. */
export type ColumnReading = PublishedReading | 'own'

export interface Column {
  readonly name: string
  readonly type: ColumnType
  /** Whether a row may lack a value. Of meaning only: in Parquet every column is OPTIONAL, as Athena writes it. */
  readonly nullable: boolean
  /** Whether an operator's own relation must have the column; the others are read as typed NULLs where absent. */
  readonly required: boolean
  readonly home: ColumnHome
  readonly meaning: string
  readonly sourceField: string
}

/**
 * What a search is pinned to, beside the columns of a result: which content a row is part of, and the load and file that
 * it comes from.
 */
export const contentIdColumn = 'content_id'
export const loadIdColumn = 'load_id'
export const sourceIdColumn = 'source_id'
