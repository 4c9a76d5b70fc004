import { type DuckDBConnection, DuckDBListValue, type DuckDBValue } from '@duckdb/node-api'
import { readType, type TypeName } from './duckdb-sql.ts'

/** The rows of a SELECT as text; undefined is NULL. */
export interface SelectedRows {
  readonly columns: readonly { readonly name: string; readonly type: TypeName }[]
  readonly rows: readonly (readonly (string | undefined)[])[]
}

/** Runs a SELECT and reads all its rows into memory. */
export async function readSelectedRows(connection: DuckDBConnection, selectSql: string): Promise<SelectedRows> {
  const reader = await connection.runAndReadAll(selectSql)
  const types = reader.columnTypes()
  return {
    columns: reader.columnNames().map((name, index) => ({
      name: name.toLowerCase(),
      type: readType(String(types[index])),
    })),
    rows: reader.getRows().map((row) => row.map(showValue)),
  }
}

/** Formats a value as Athena does: lists as `[a, b]`, without quotes. */
function showValue(value: DuckDBValue): string | undefined {
  if (value === null) return undefined
  if (value instanceof DuckDBListValue) return `[${value.items.map((item) => showValue(item) ?? 'null').join(', ')}]`
  return String(value)
}

/** The columns and rows of a GetQueryResults response. Source: Athena API, ResultSet. */
export interface ResultSet {
  readonly ResultSetMetadata: { readonly ColumnInfo: readonly object[] }
  readonly Rows: readonly { readonly Data: readonly { readonly VarCharValue?: string }[] }[]
}

/** One page of a table, beginning at row `start`; row 0 is the header. */
export function showPage({ columns, rows }: SelectedRows, start: number, size: number): ResultSet {
  const header = columns.map(({ name }) => name)
  const page = start === 0 ? [header, ...rows.slice(0, size - 1)] : rows.slice(start - 1, start - 1 + size)
  return {
    ResultSetMetadata: { ColumnInfo: columns.map(describeColumn) },
    Rows: page.map((row) => ({ Data: row.map((text) => (text === undefined ? {} : { VarCharValue: text })) })),
  }
}

/** Precision and scale only apply to decimals; type names omit their parameters. */
function describeColumn({ name, type }: SelectedRows['columns'][number]) {
  const [, base, precision = '0', scale = '0'] = /^(\w+)(?:\((\d+)(?:,(\d+))?\))?/.exec(type) ?? []
  return {
    CatalogName: 'hive',
    SchemaName: '',
    TableName: '',
    Name: name,
    Label: name,
    Type: base ?? type,
    Precision: Number(precision),
    Scale: Number(scale),
    Nullable: 'UNKNOWN',
    CaseSensitive: base === 'varchar',
  }
}
