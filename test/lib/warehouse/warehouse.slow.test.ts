import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { requireStage } from '../../../lib/stage/stage-files.ts'
import { createApp } from '../../../lib/synthesise.ts'
import { nameDatabase, Warehouse } from '../../../lib/warehouse/warehouse.ts'
import { loadNppes } from '../../../loader/nppes/load-nppes.ts'
import { writeNppes } from '../../../local/samples/generator/nppes-layout.ts'
import { sampleFiles } from '../../../local/samples/sample-data.ts'
import { allTables } from '../../../schema/columns/providers-table.ts'
import { relationColumns } from '../../../schema/columns/rates.ts'
import { viewIdColumns } from '../../../schema/columns/rates-views.ts'
import { createTestWarehouse, type TestWarehouse } from '../../builders/test-warehouse.ts'
import { sortRows } from '../../loader/naive-flattening.ts'
import { nppesLine } from '../../loader/nppes/nppes-builder.ts'

const columnsSchema = v.array(v.object({ Name: v.string(), Type: v.string() }))

const tableSchema = v.object({
  DatabaseName: v.unknown(),
  TableInput: v.object({
    Name: v.string(),
    TableType: v.string(),
    Parameters: v.record(v.string(), v.string()),
    PartitionKeys: columnsSchema,
    StorageDescriptor: v.object({ Columns: columnsSchema, Location: v.unknown() }),
    ViewOriginalText: v.optional(v.string(), ''),
    ViewExpandedText: v.optional(v.string()),
  }),
})

const viewSchema = v.strictObject({
  originalSql: v.string(),
  catalog: v.literal('awsdatacatalog'),
  schema: v.string(),
  columns: v.array(v.strictObject({ name: v.string(), type: v.string() })),
  runAsInvoker: v.literal(false),
})

type GlueTable = v.InferOutput<typeof tableSchema>

/** DuckDB types in Hive's spelling. */
const hiveTypes: Readonly<Record<string, string>> = {
  VARCHAR: 'string',
  BIGINT: 'bigint',
  INTEGER: 'int',
  'DECIMAL(18,4)': 'decimal(18,4)',
  DATE: 'date',
  'VARCHAR[]': 'array<string>',
}

const trinoTypes: Readonly<Record<string, string>> = {
  ...hiveTypes,
  VARCHAR: 'varchar',
  INTEGER: 'integer',
  'VARCHAR[]': 'array(varchar)',
}

let outdir: string
let template: Template
let tables: ReadonlyMap<string, GlueTable>
let warehouse: TestWarehouse
let duckdb: DuckDBInstance

beforeAll(async () => {
  outdir = mkdtempSync(join(tmpdir(), 'warehouse-'))
  const stack = new Stack(createApp({ outdir }), 'SearchService')
  new Warehouse(stack, 'Warehouse', requireStage('dev'))
  template = Template.fromStack(stack)
  const resources = Object.values(template.findResources('AWS::Glue::Table'))
  tables = new Map(
    resources.map(({ Properties }) => v.parse(tableSchema, Properties)).map((table) => [table.TableInput.Name, table]),
  )
  warehouse = await createTestWarehouse()
  // The dental file: comparing the rows of all samples would take a quarter of a minute.
  await warehouse.load({ files: sampleFiles.slice(-1) })
  duckdb = await DuckDBInstance.create(':memory:')
  const line = nppesLine({ npi: '1003000126', entityType: '2', organization: 'Lighthouse Family Medicine' })
  const path = await warehouse.write('npidata_pfile_20050523-20261109.csv', writeNppes([line]))
  const { folder, contents } = warehouse
  await loadNppes({ path }, { warehouse: folder, contents, newId: () => 'n1', now: () => new Date() })
  const connection = await duckdb.connect()
  for (const trinoFunction of [
    'to_utf8(text) AS text',
    'to_hex(text) AS text',
    'array_join(a, b) AS array_to_string(a, b)',
  ])
    await connection.run(`CREATE MACRO ${trinoFunction}`)
  for (const { name } of allTables) {
    const files = `'${warehouse.root}/${name}/*/*.parquet', filename = '$path', hive_partitioning = true, hive_types_autocast = false`
    await connection.run(`CREATE VIEW ${name} AS SELECT * FROM read_parquet(${files})`)
  }
})

afterAll(async () => {
  duckdb.closeSync()
  await warehouse[Symbol.asyncDispose]()
  rmSync(outdir, { recursive: true })
})

function tableOf(name: string): GlueTable {
  const table = tables.get(name)
  if (table === undefined) throw new TypeError(`the template has no table ${name}`)
  return table
}

function decodeView(name: string) {
  const { ViewOriginalText } = tableOf(name).TableInput
  const [, encoded = ''] = /^\/\* Presto View: ([A-Za-z0-9+/=]+) \*\/$/.exec(ViewOriginalText) ?? []
  return v.parse(viewSchema, JSON.parse(Buffer.from(encoded, 'base64').toString()))
}

/** Returns the columns of a relation according to DuckDB, with types translated by name. */
async function describeColumns(relation: string, types: Readonly<Record<string, string>>) {
  const connection = await duckdb.connect()
  const described = await connection.runAndReadAll(`DESCRIBE ${relation}`)
  return described.getRows().map(([name, type]) => ({ name: String(name), type: types[String(type)] ?? String(type) }))
}

const plain = (columns: v.InferOutput<typeof columnsSchema>) =>
  columns.map(({ Name: name, Type: type }) => ({ name, type }))

describe.each(allTables.map(({ name, buckets }) => [name, buckets] as const))('the table %s', (name, buckets) => {
  it('lists the columns of the loader’s files, with Hive’s types', async () => {
    const { StorageDescriptor, PartitionKeys } = tableOf(name).TableInput
    const described = await describeColumns(name, hiveTypes)
    const inFiles = described.filter((column) => column.name !== '$path')
    expect(plain([...StorageDescriptor.Columns, ...PartitionKeys])).toEqual(inFiles)
  })

  it('refers to the location and partitions that the loader writes, as an external table', () => {
    const { TableInput } = tableOf(name)
    expect(TableInput.TableType).toBe('EXTERNAL_TABLE')
    expect(TableInput.PartitionKeys).toMatchObject([{ Name: 'bucket', Type: 'string' }])
    const [bucket] = Object.keys(template.findResources('AWS::S3::Bucket')).filter((id) =>
      id.startsWith('WarehouseRates'),
    )
    expect(TableInput.StorageDescriptor.Location).toEqual({
      'Fn::Join': ['', ['s3://', { Ref: bucket }, `/${name}/`]],
    })
  })

  it('describes a fixed number of partitions, so that Athena does not ask Glue', () => {
    expect(tableOf(name).TableInput.Parameters).toMatchObject({
      'projection.enabled': 'true',
      'projection.bucket.type': 'integer',
      'projection.bucket.range': `0,${buckets - 1}`,
    })
  })
})

describe.each([
  ['rates', viewIdColumns],
  ['rates_current', []],
])('the view %s', (view, ids) => {
  it('lists the columns that its SQL yields, with their types; the ids for searches only in rates', async () => {
    const { columns, originalSql } = decodeView(view)
    expect(columns.map(({ name }) => name)).toEqual([...relationColumns.map(({ name }) => name), ...ids])
    expect(columns).toEqual(await describeColumns(`(${originalSql})`, trinoTypes))
    const described = await describeColumns(`(${originalSql})`, hiveTypes)
    expect(plain(tableOf(view).TableInput.StorageDescriptor.Columns)).toEqual(described)
  })

  it('reads loaded rows', async () => {
    const connection = await duckdb.connect()
    const names = relationColumns.map(({ name }) => name).join(', ')
    const reader = await connection.runAndReadAll(`SELECT ${names} FROM (${decodeView(view).originalSql})`)
    const searched = view === 'rates' ? [...warehouse.catalogue.entries.values()] : warehouse.listNames()
    const expected = await warehouse.readRates(...searched)
    expect(expected.length).toBeGreaterThan(100)
    const relationRows = expected.map((row) => Object.fromEntries(relationColumns.map(({ name }) => [name, row[name]])))
    expect(sortRows(reader.getRowObjectsJson())).toEqual(sortRows(relationRows))
  })

  it('looks up its tables in its own database', () => {
    const databases = Object.entries(template.findResources('AWS::Glue::Database'))
    expect(databases.map(([id, { Properties }]) => [id, Properties.DatabaseInput.Name])).toEqual([
      [expect.any(String), decodeView(view).schema],
    ])
    for (const { DatabaseName } of tables.values()) expect(DatabaseName).toEqual({ Ref: databases[0]?.[0] })
  })
})

it('makes new tables accessible with rights of IAM, also in accounts where Lake Formation controls access', () => {
  const [database] = Object.values(template.findResources('AWS::Glue::Database'))
  expect(database?.['Properties'].DatabaseInput.CreateTableDefaultPermissions).toEqual([
    { Permissions: ['ALL'], Principal: { DataLakePrincipalIdentifier: 'IAM_ALLOWED_PRINCIPALS' } },
  ])
})

describe('the name of a stage’s database', () => {
  it.each([
    ['dev', 'rates_dev'],
    ['Prod-EU-2', 'rates_prod_eu_2'],
  ])('follows the rules of Athena’s DDL, for %s', (name, expected) => {
    expect(nameDatabase({ name })).toBe(expected)
  })
})
