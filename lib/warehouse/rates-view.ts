import { type ColumnType, trinoType } from '../../schema/columns/column.ts'
import { trino } from '../../schema/columns/price-key.ts'
import { ratesColumns } from '../../schema/columns/rates.ts'
import { ratesViewSelect, viewIdColumns } from '../../schema/columns/warehouse-tables.ts'

/**
 * The format in which Athena stores a view in Glue: a comment with Base64 of JSON. Source: what Athena's `CREATE VIEW`
 * writes, and `ViewReaderUtil` and `ConnectorViewDefinition` in Trino.
 */
export interface ViewText {
  readonly viewOriginalText: string
  readonly viewExpandedText: string
}

/** The columns of the view with their types: those of a result, and those that searches filter by. */
export const ratesViewColumns: readonly { readonly name: string; readonly type: ColumnType }[] = [
  ...ratesColumns.map(({ name, type }) => ({ name, type })),
  ...viewIdColumns.map((name) => ({ name, type: 'varchar' as const })),
]

/**
 * Encodes the view `rates`. Its SQL does not qualify table names: Athena resolves them in the view's schema.
 *
 * @param database the literal name, not a CDK token: tokens do not resolve inside Base64
 */
export function encodeRatesView(database: string): ViewText {
  const view = {
    originalSql: ratesViewSelect(trino),
    catalog: 'awsdatacatalog',
    schema: database,
    columns: ratesViewColumns.map(({ name, type }) => ({ name, type: trinoType(type) })),
  }
  const encoded = Buffer.from(JSON.stringify(view)).toString('base64')
  return { viewOriginalText: `/* Presto View: ${encoded} */`, viewExpandedText: '/* Presto View */' }
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
