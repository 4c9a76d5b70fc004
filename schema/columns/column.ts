/** SQL types that Athena (Trino) and DuckDB spell alike. */
export type ColumnType = 'varchar' | 'bigint' | 'integer' | 'decimal(18,4)' | 'date' | 'varchar ARRAY'

/** The type in Trino's spelling. Athena rejects a view as stale if its column types differ from its SQL. */
export function trinoType(type: ColumnType): string {
  return type === 'varchar ARRAY' ? 'array(varchar)' : type
}

/** Which table stores the column: one row of it is a price, a provider group's NPI, or a file of a fee schedule. */
export type ColumnHome = 'negotiated_rates' | 'provider_groups' | 'fee_schedule_sources'

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
