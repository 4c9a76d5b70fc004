import type { ColumnType } from '../core/rates.ts'
import { ratesColumns, sourceIdColumn } from '../core/rates.ts'
import { ratesViewSelect } from '../core/warehouse.ts'

/**
 * A view as Athena stores it in Glue: a comment with Base64 of JSON. Source: what Athena's `CREATE VIEW` writes, and
 * `ViewReaderUtil` and `ConnectorViewDefinition` in Trino.
 */
export interface ViewText {
  readonly viewOriginalText: string
  readonly viewExpandedText: string
}

/** The view's columns with their types: those of a result, and the source that a search is pinned to. */
export const ratesViewColumns: readonly { readonly name: string; readonly type: ColumnType }[] = [
  ...ratesColumns.map(({ name, type }) => ({ name, type })),
  { name: sourceIdColumn, type: 'varchar' },
]

/**
 * Encodes the view `rates`. Its SQL does not qualify table names: Athena resolves them in the view's schema.
 *
 * @param database the literal name, not a CDK token: tokens do not resolve inside Base64
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

/** The type in Trino's spelling. Athena rejects a view as stale if its column types differ from its SQL. */
export function trinoType(type: ColumnType): string {
  return type === 'varchar ARRAY' ? 'array(varchar)' : type
}

/** The type in the spelling of Hive and Glue. */
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
