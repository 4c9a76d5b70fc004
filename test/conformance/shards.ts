import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import type { CompletedSearchBody } from '../../contract/search-api.ts'
import { sendBare } from './bare-request.ts'
import type { SampleRow } from './samples.ts'
import { comparedColumns } from './samples.ts'

/** Downloads a shard as the specification says: no header but the host. */
export async function downloadShard(url: string): Promise<ArrayBuffer> {
  const { status, body } = await sendBare(url)
  if (status !== 200) throw new Error(`a shard's URL answered ${status}: ${body.toString()}`)
  return body.buffer.slice(body.byteOffset, body.byteOffset + body.byteLength)
}

export function downloadAll({ download_urls }: CompletedSearchBody): Promise<ArrayBuffer[]> {
  return Promise.all(download_urls.map(downloadShard))
}

/** The rows of all shards of a job, as text and sorted, so that two results can be compared whatever their order. */
export async function readResult(search: CompletedSearchBody): Promise<readonly string[]> {
  const shards = await downloadAll(search)
  const rows = await Promise.all(shards.map((file) => parquetReadObjects({ file })))
  return describeRows(rows.flat())
}

/** Rows as text, sorted: the columns that the samples speak of. */
export function describeRows(rows: readonly SampleRow[]): readonly string[] {
  return rows.map((row) => JSON.stringify(comparedColumns.map((name) => describeValue(row[name])))).sort()
}

function describeValue(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  // A decimal comes as a float: what counts are its four places.
  if (typeof value === 'number') return Math.round(value * 10_000) / 10_000
  return value instanceof Date ? value.toISOString().slice(0, 10) : (value ?? null)
}

export function countRows(file: ArrayBuffer): number {
  return Number(parquetMetadata(file).num_rows)
}

/** The whole schema of a file, as its writer put it. */
export function readSchema(file: ArrayBuffer): readonly unknown[] {
  return parquetMetadata(file).schema
}

/**
 * What a reader makes of the schema: names, nullability and logical types. Physical types are the engine's choice, and
 * the older of the two ways to write a logical type (`converted_type`) is the one that all engines write.
 */
export function describeColumns(file: ArrayBuffer): readonly string[] {
  return parquetMetadata(file)
    .schema.slice(1)
    .map(({ name, repetition_type, converted_type = 'GROUP', precision, scale }) =>
      [name, repetition_type, converted_type, precision, scale].filter((part) => part !== undefined).join(' '),
    )
}
