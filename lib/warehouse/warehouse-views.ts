import { type ColumnType, trinoType } from '../../schema/columns/column.ts'
import { trino } from '../../schema/columns/price-key.ts'
import { relationColumns } from '../../schema/columns/rates.ts'
import {
  ratesCurrentSelect,
  ratesCurrentView,
  ratesView,
  ratesViewSelect,
  viewIdColumns,
} from '../../schema/columns/rates-views.ts'

/** A view that a deployment describes. */
export interface WarehouseView {
  readonly name: string
  /** The meaning of one row. */
  readonly grain: string
  readonly select: string
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[]
}

const ids = viewIdColumns.map((name) => ({ name, type: 'varchar' as const }))

/** The view that searches read, with the columns that they filter by, and the one for people. */
export const warehouseViews: readonly WarehouseView[] = [
  {
    name: ratesView,
    grain: 'one published price, TIN, NPI and fee schedule',
    select: ratesViewSelect(trino),
    columns: [...relationColumns, ...ids],
  },
  {
    name: ratesCurrentView,
    grain: 'one published price, TIN, NPI and fee schedule that searches read now',
    select: ratesCurrentSelect(trino),
    columns: relationColumns,
  },
]

/**
 * Encodes a view as Athena stores it in Glue: a comment with Base64 of JSON. Its SQL does not qualify table names: Athena
 * resolves them in the view's schema. Source: what Athena's `CREATE VIEW` writes, and `ViewReaderUtil` and
 * `ConnectorViewDefinition` in Trino.
 *
 * @param database the literal name, not a CDK token: tokens do not resolve inside Base64
 */
export function encodeView({ select, columns }: WarehouseView, database: string) {
  const view = {
    originalSql: select,
    catalog: 'awsdatacatalog',
    schema: database,
    columns: columns.map(({ name, type }) => ({ name, type: trinoType(type) })),
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
