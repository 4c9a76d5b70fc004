import { type CfnDatabase, CfnTable } from 'aws-cdk-lib/aws-glue'
import { Construct } from 'constructs'
import type { Column } from '../../schema/columns/column.ts'
import { allTables } from '../../schema/columns/providers-table.ts'
import { type SearchTable, searchIdColumn, searchTables } from '../../schema/columns/search-tables.ts'
import { bucketColumn, type WarehouseTable } from '../../schema/columns/warehouse-tables.ts'
import { describeViewTable, hiveType, type WarehouseView, warehouseViews } from './warehouse-views.ts'

export interface RatesTablesProps {
  /** The database that holds the tables and the view. */
  readonly database: CfnDatabase
  /** The database's name as text, which the view's definition contains. */
  readonly databaseName: string
  /** Location of the tables' folders, `s3://bucket/`. */
  readonly location: string
  /** Place where searches list their files, `s3://bucket/prefix/`. */
  readonly fileLists: string
}

/**
 * The tables over the loader's Parquet files (docs/adr/0030), the views that join them for people, and the tables with
 * which searches read the same files by their names (docs/adr/0043).
 */
export class RatesTables extends Construct {
  constructor(scope: Construct, id: string, props: RatesTablesProps) {
    super(scope, id)
    for (const table of allTables) this.addTable(table, props)
    for (const table of searchTables) this.addSearchTable(table, props)
    for (const view of warehouseViews) this.addView(view, props)
  }

  private addTable(table: WarehouseTable, props: RatesTablesProps): void {
    this.addToGlue(resourceName(table.name), props, {
      name: table.name,
      description: `One row is ${table.grain}.`,
      tableType: 'EXTERNAL_TABLE',
      parameters: {
        ...parquetParameters,
        [`projection.${bucketColumn.name}.type`]: 'integer',
        [`projection.${bucketColumn.name}.range`]: `0,${table.buckets - 1}`,
      },
      partitionKeys: [describePartitions(bucketColumn)],
      storageDescriptor: {
        ...describeRows(table),
        location: `${props.location}${table.name}/`,
        inputFormat: 'org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat',
        outputFormat: 'org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat',
      },
    })
  }

  /**
   * A partition is a search: Athena takes its id from the query, and its place from the id. The object in that place is
   * a list of files. Source: Athena user guide, "Supported types for partition projection", injected type; Amazon S3
   * user guide, "Querying Amazon S3 Inventory with Amazon Athena", for the input format with this SerDe.
   */
  private addSearchTable({ name, table }: SearchTable, props: RatesTablesProps): void {
    this.addToGlue(resourceName(name), props, {
      name,
      description: `The rows of ${table.name} in the files of one search; only the service reads it.`,
      tableType: 'EXTERNAL_TABLE',
      parameters: { ...parquetParameters, [`projection.${searchIdColumn.name}.type`]: 'injected' },
      partitionKeys: [describePartitions(searchIdColumn)],
      storageDescriptor: {
        ...describeRows(table),
        location: `${props.fileLists}${name}/`,
        inputFormat: 'org.apache.hadoop.hive.ql.io.SymlinkTextInputFormat',
        outputFormat: 'org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat',
      },
    })
  }

  private addView(view: WarehouseView, props: RatesTablesProps): void {
    this.addToGlue(`${resourceName(view.name)}View`, props, describeViewTable(view, props.databaseName))
  }

  private addToGlue(id: string, { database }: RatesTablesProps, tableInput: CfnTable.TableInputProperty): void {
    const { catalogId, ref: databaseName } = database
    new CfnTable(this, id, { catalogId, databaseName, tableInput })
  }
}

const parquetParameters = {
  EXTERNAL: 'TRUE',
  classification: 'parquet',
  // Athena computes the partitions and does not ask Glue. Source: Athena user guide, "Partition projection".
  'projection.enabled': 'true',
}

const describePartitions = ({ name, meaning }: Pick<Column, 'name' | 'meaning'>) => {
  return { name, type: 'string', comment: meaning }
}

const describeRows = ({ columns }: WarehouseTable) => ({
  columns: columns.map(({ name, type, meaning }) => ({ name, type: hiveType(type), comment: meaning })),
  serdeInfo: { serializationLibrary: 'org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe' },
})

/** Returns the construct id of a table: `negotiated_rates` becomes `NegotiatedRates`. */
function resourceName(table: string): string {
  return table.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
