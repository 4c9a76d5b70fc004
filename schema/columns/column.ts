/** SQL types with the same spelling in Athena (Trino) and DuckDB. */
export type ColumnType = 'varchar' | 'bigint' | 'integer' | 'decimal(18,4)' | 'date' | 'varchar ARRAY'

/** The type in Trino's spelling. Athena rejects a view as stale if its column types differ from its SQL. */
export function trinoType(type: ColumnType): string {
  return type === 'varchar ARRAY' ? 'array(varchar)' : type
}

/**
 * The table that stores the column. Its rows are prices, the NPIs of provider groups, the files of fee schedules, or
 * NPIs of NPPES, which only searches join.
 */
export type ColumnHome = 'negotiated_rates' | 'provider_groups' | 'fee_schedule_sources' | 'providers'

export interface Column {
  readonly name: string
  readonly type: ColumnType
  /**
   * True if a value can be missing. Not part of the Parquet schema, where every column is OPTIONAL, as Athena writes
   * it.
   */
  readonly nullable: boolean
  /** True if an operator's relation must have the column; other missing columns are read as typed NULLs. */
  readonly required: boolean
  /** `view`: no table stores it; the view computes it. */
  readonly home: ColumnHome | 'view'
  readonly meaning: string
  readonly sourceField: string
}

/** Columns that say where a row comes from, in addition to those of a result: its content, load and file. */
export const contentIdColumn = 'content_id'
export const loadIdColumn = 'load_id'
export const sourceIdColumn = 'source_id'

/** The column of `providers` that says which monthly file of NPPES a row is of. */
export const nppesMonthIdColumn = 'nppes_month_id'
