import type { CfnTable } from 'aws-cdk-lib/aws-glue'
import { type ColumnType, trinoType } from '../../schema/columns/column.ts'
import { relationColumns } from '../../schema/columns/rates.ts'
import {
  ratesCurrentSelect,
  ratesCurrentView,
  ratesView,
  ratesViewSelect,
  viewIdColumns,
} from '../../schema/columns/rates-views.ts'

/** A view of the warehouse. docs/result-schema.md and docs/sql.md describe the rows of each. */
export interface WarehouseView {
  readonly name: string
  readonly select: string
  readonly columns: readonly { readonly name: string; readonly type: ColumnType }[]
}

const ids = viewIdColumns.map((name) => ({ name, type: 'varchar' as const }))

/** The views for people who write SQL: one over all contents, and one over the contents that searches read now. */
export const warehouseViews: readonly WarehouseView[] = [
  {
    name: ratesView,
    select: ratesViewSelect(),
    columns: [...relationColumns, ...ids],
  },
  {
    name: ratesCurrentView,
    select: ratesCurrentSelect(),
    columns: relationColumns,
  },
]

/**
 * Describes a view for Glue in the form in which Athena's `CREATE VIEW` stores it, which Trino and its derivatives read
 * as well. Three details look optional but are required:
 *
 * - There is no description. Trino's Glue metastore takes a description for the comment, and ignores a view whose
 *   comment is not `Presto View`. Source: Trino, `GlueConverter.fromGlueTable`, `ViewReaderUtil.isTrinoView`.
 * - The owner is the one of tables that Athena creates. Trino refuses a view without an owner, because it runs the view
 *   with the rights of its definer. Source: Trino, `ViewDefinition`, "Run-as identity must be set".
 * - `serdeInfo` is present although it is empty. Without it Athena reports a missing SerDe.
 *
 * Its SQL does not qualify table names: Athena resolves them in the view's schema.
 *
 * @param database the literal name, not a CDK token: tokens do not resolve inside Base64
 */
export function describeViewTable({ name, select, columns }: WarehouseView, database: string) {
  const definition = {
    originalSql: select,
    // Trino refuses a catalog name with capital letters.
    catalog: 'awsdatacatalog',
    schema: database,
    columns: columns.map((column) => ({ name: column.name, type: trinoType(column.type) })),
    runAsInvoker: false,
  }
  const encoded = Buffer.from(JSON.stringify(definition)).toString('base64')
  return {
    name,
    owner: 'hadoop',
    tableType: 'VIRTUAL_VIEW',
    parameters: { presto_view: 'true', comment: 'Presto View' },
    partitionKeys: [],
    storageDescriptor: {
      columns: columns.map((column) => ({ name: column.name, type: hiveType(column.type) })),
      // A view has no files; Athena leaves the rest of the descriptor empty.
      location: '',
      serdeInfo: {},
    },
    viewOriginalText: `/* Presto View: ${encoded} */`,
    viewExpandedText: '/* Presto View */',
  } satisfies CfnTable.TableInputProperty
}

/** Returns a type in the spelling of Hive and Glue. */
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
