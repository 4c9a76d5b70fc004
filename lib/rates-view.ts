import type { ColumnType } from '../core/rates.ts'
import { ratesColumns } from '../core/rates.ts'
import { ratesViewSelect, viewIdColumns } from '../core/warehouse.ts'

/**
 * A view as Athena keeps it in Glue: a comment that holds Base64 of JSON. Source: what `CREATE VIEW` of Athena leaves,
 * and Trino, `ViewReaderUtil` and `ConnectorViewDefinition`.
 */
export interface ViewText {
  readonly viewOriginalText: string
  readonly viewExpandedText: string
}

/** The columns of the view, each with its type: those of a result, and those that a search is pinned by. */
export const ratesViewColumns: readonly { readonly name: string; readonly type: ColumnType }[] = [
  ...ratesColumns.map(({ name, type }) => ({ name, type })),
  ...viewIdColumns.map((name) => ({ name, type: 'varchar' as const })),
]

/**
 * The text of the view `rates`. Its SQL names the tables alone: Athena looks them up in the schema that stands beside it.
 *
 * @param database the name itself, no token: nothing resolves inside of Base64
 */
export function encodeRatesView(database: string): ViewText {
  const view = {
    originalSql: ratesViewSelect(),
    catalog: 'awsdatacatalog',
    schema: database,
    columns: ratesViewColumns.map(({ name, type }) => ({ name, type: trinoType(type) })),
  }
  const encoded = Buffer.from(JSON.stringify(view)).toString('base64')
  return { viewOriginalText: `/* Presto View: ${encoded} */`, viewExpandedText: '/* Presto View */' }
}

/** The type as Trino spells it: a view whose columns have other types than its SQL is refused as stale. */
export function trinoType(type: ColumnType): string {
  return type === 'varchar ARRAY' ? 'array(varchar)' : type
}

/** The type as Hive spells it, and Glue with it. */
export function hiveType(type: ColumnType): string {
  switch (type) {
    case 'varchar':
      return 'string'
    case 'varchar ARRAY':
      return 'array<string>'
    case 'integer':
      return 'int'
    default:
      return type
  }
}
