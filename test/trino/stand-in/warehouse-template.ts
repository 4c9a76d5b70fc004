import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import * as v from 'valibot'
import { createApp } from '../../../lib/synthesise.ts'
import { Warehouse } from '../../../lib/warehouse/warehouse.ts'
import { fileListsBelow } from '../../../schema/columns/search-tables.ts'
import { defaultStage } from '../../templates/templates.ts'

const columns = v.array(v.object({ Name: v.string(), Type: v.string() }))

/** The fields of a table or view that tests read; the others pass through. */
const tableInput = v.looseObject({
  Name: v.string(),
  TableType: v.string(),
  StorageDescriptor: v.looseObject({ Columns: columns }),
  ViewOriginalText: v.optional(v.string()),
})

const database = v.object({ CatalogId: v.string(), DatabaseInput: v.looseObject({ Name: v.string() }) })
const table = v.object({ CatalogId: v.string(), DatabaseName: v.string(), TableInput: tableInput })

export type TableInput = v.InferOutput<typeof tableInput>

/** The template of the warehouse, with its references resolved as CloudFormation would. */
export interface WarehouseTemplate {
  readonly buckets: readonly string[]
  /** Location of the tables, `s3://bucket/`. */
  readonly location: string
  /** Place of searches' lists of files, `s3://bucket/prefix/`. */
  readonly fileLists: string
  /** Inputs of Glue's `CreateDatabase`. */
  readonly databases: readonly v.InferOutput<typeof database>[]
  /** Inputs of Glue's `CreateTable`, for tables and views. */
  readonly tables: readonly v.InferOutput<typeof table>[]
}

const reference = v.strictObject({ Ref: v.string() })
const joined = v.strictObject({ 'Fn::Join': v.tuple([v.string(), v.array(v.unknown())]) })

/** Synthesises the warehouse of the stage `dev`. */
export function synthesiseWarehouse(): WarehouseTemplate {
  const outdir = mkdtempSync(join(tmpdir(), 'warehouse-'))
  try {
    const stack = new Stack(createApp({ outdir }), 'SearchService')
    const { outputs } = new Warehouse(stack, 'Warehouse', defaultStage)
    const template = Template.fromStack(stack)
    const propertiesOf = (type: string) =>
      Object.entries(template.findResources(type)).map(([id, { Properties }]) => [id, Properties] as const)
    // A bucket without a name gets one from CloudFormation, in lower case.
    const buckets = propertiesOf('AWS::S3::Bucket').map(([id]) => [id, id.toLowerCase()] as const)
    const databaseNames = propertiesOf('AWS::Glue::Database').map(
      ([id, properties]) =>
        [id, v.parse(v.object({ DatabaseInput: v.object({ Name: v.string() }) }), properties)] as const,
    )
    const references = new Map<string, string>([
      ['AWS::AccountId', '123456789012'],
      ...buckets,
      ...databaseNames.map(([id, { DatabaseInput }]) => [id, DatabaseInput.Name] as const),
    ])
    const resolved = (type: string) => propertiesOf(type).map(([, properties]) => resolve(properties, references))
    const outputOf = (name: string) => v.parse(v.string(), resolve(stack.resolve(outputs[name]?.[0]), references))
    return {
      buckets: buckets.map(([, name]) => name),
      location: outputOf('RatesLocation'),
      fileLists: fileListsBelow(outputOf('ManifestsLocation')),
      databases: resolved('AWS::Glue::Database').map((properties) => v.parse(database, properties)),
      tables: resolved('AWS::Glue::Table').map((properties) => v.parse(table, properties)),
    }
  } finally {
    rmSync(outdir, { recursive: true })
  }
}

/**
 * Replaces the intrinsic functions that the template uses.
 *
 * @throws Error for a reference without a value
 */
function resolve(value: unknown, references: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => resolve(item, references))
  if (typeof value !== 'object' || value === null) return value
  if (v.is(reference, value)) {
    const text = references.get(value.Ref)
    if (text === undefined) throw new Error(`the template refers to ${value.Ref}, which has no value here`)
    return text
  }
  if (v.is(joined, value)) {
    const [separator, parts] = value['Fn::Join']
    return parts.map((part) => String(resolve(part, references))).join(separator)
  }
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, resolve(item, references)]))
}
