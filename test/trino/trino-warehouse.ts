import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describeViewTable, type WarehouseView, warehouseViews } from '../../lib/warehouse/warehouse-views.ts'
import { trinoType } from '../../schema/columns/column.ts'
import { allTables } from '../../schema/columns/providers-table.ts'
import { runOnTrino } from './run-on-trino.ts'
import type { TrinoServer } from './trino-server.ts'

/**
 * Registers the warehouse in the server's folder `warehouse` as the schema `rates`: the tables over the loader's files,
 * and the views with the same text that the deployment puts into Glue.
 */
export async function registerWarehouse(trino: Pick<TrinoServer, 'url' | 'folder'>): Promise<void> {
  const schema = 'rates'
  await runOnTrino(trino.url, `CREATE SCHEMA ${schema} WITH (location = 'local:///metastore/${schema}')`)
  for (const { name, columns, buckets } of allTables) {
    const definitions = columns.map((column) => `${column.name} ${trinoType(column.type)}`)
    const range = `ARRAY['0', '${buckets - 1}']`
    const bucket = `bucket varchar WITH (partition_projection_type = 'INTEGER', partition_projection_range = ${range})`
    const location = `local:///warehouse/${name}`
    await runOnTrino(
      trino.url,
      `CREATE TABLE ${name} (${[...definitions, bucket].join(', ')}) WITH (format = 'PARQUET',
         external_location = '${location}', partitioned_by = ARRAY['bucket'], partition_projection_enabled = true,
         partition_projection_location_template = '${location}/bucket=\${bucket}')`,
    )
  }
  for (const view of warehouseViews) await putView(trino.folder, schema, view)
}

/** Writes the view as a file of Trino's file metastore: no SQL statement takes a view's stored text. */
async function putView(folder: string, schema: string, warehouseView: WarehouseView): Promise<void> {
  const { owner, tableType, parameters, storageDescriptor, viewOriginalText, viewExpandedText } = describeViewTable(
    warehouseView,
    schema,
  )
  const view = {
    writerVersion: '476',
    owner,
    tableType,
    dataColumns: storageDescriptor.columns.map((column) => ({ ...column, properties: {} })),
    partitionColumns: [],
    parameters,
    originalStorageFormat: {},
    serdeParameters: {},
    columnStatistics: {},
    viewOriginalText,
    viewExpandedText,
  }
  const place = join(folder, 'metastore', schema, warehouseView.name)
  await mkdir(place, { recursive: true })
  await writeFile(join(place, '.trinoSchema'), JSON.stringify(view))
}
