import { type CfnDatabase, CfnTable } from 'aws-cdk-lib/aws-glue'
import { Construct } from 'constructs'
import { allTables } from '../../schema/columns/providers-table.ts'
import { bucketColumn, type WarehouseTable } from '../../schema/columns/warehouse-tables.ts'
import { describeViewTable, hiveType, type WarehouseView, warehouseViews } from './warehouse-views.ts'

export interface RatesTablesProps {
  /** The database that holds the tables and the view. */
  readonly database: CfnDatabase
  /** The database's name as text, which the view's definition contains. */
  readonly databaseName: string
  /** Location of the tables' folders, `s3://bucket/`. */
  readonly location: string
}

/** The tables over the loader's Parquet files, and the view `rates` that joins them for searches (docs/adr/0030). */
export class RatesTables extends Construct {
  constructor(scope: Construct, id: string, props: RatesTablesProps) {
    super(scope, id)
    for (const table of allTables) this.addTable(table, props)
    for (const view of warehouseViews) this.addView(view, props)
  }

  private addTable(table: WarehouseTable, props: RatesTablesProps): void {
    this.addToGlue(resourceName(table.name), props, {
      name: table.name,
      description: `One row is ${table.grain}.`,
      tableType: 'EXTERNAL_TABLE',
      parameters: {
        EXTERNAL: 'TRUE',
        classification: 'parquet',
        // Athena computes the partitions and does not ask Glue. Source: Athena user guide, "Partition projection".
        'projection.enabled': 'true',
        [`projection.${bucketColumn.name}.type`]: 'integer',
        [`projection.${bucketColumn.name}.range`]: `0,${table.buckets - 1}`,
      },
      partitionKeys: [{ name: bucketColumn.name, type: 'string', comment: bucketColumn.meaning }],
      storageDescriptor: {
        columns: table.columns.map(({ name, type, meaning }) => ({ name, type: hiveType(type), comment: meaning })),
        location: `${props.location}${table.name}/`,
        inputFormat: 'org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat',
        outputFormat: 'org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat',
        serdeInfo: { serializationLibrary: 'org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe' },
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

/** Returns the construct id of a table: `negotiated_rates` becomes `NegotiatedRates`. */
function resourceName(table: string): string {
  return table.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
