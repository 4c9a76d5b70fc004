import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import type { CompletedSearchBody } from '../../contract/search-api.ts'
import { sendBare } from './bare-request.ts'
import { comparedColumns, type SampleRow } from './samples.ts'

/** Downloads a shard as clients must: with no header but `Host`. */
export async function downloadShard(url: string): Promise<ArrayBuffer> {
  const { status, body } = await sendBare(url)
  if (status !== 200) throw new Error(`a shard's URL answered ${status}: ${body.toString()}`)
  return body.buffer.slice(body.byteOffset, body.byteOffset + body.byteLength)
}

export function downloadAll({ download_urls }: CompletedSearchBody): Promise<ArrayBuffer[]> {
  return Promise.all(download_urls.map(downloadShard))
}

/** Downloads the rows of all shards of a job. */
export async function downloadRows(search: CompletedSearchBody): Promise<readonly SampleRow[]> {
  const shards = await downloadAll(search)
  return (await Promise.all(shards.map((file) => parquetReadObjects({ file })))).flat()
}

/** The rows of all shards of a job as sorted text, so that results can be compared regardless of their order. */
export async function readResult(search: CompletedSearchBody): Promise<readonly string[]> {
  return describeRows(await downloadRows(search))
}

/** Rows as sorted text, with only the columns that the samples cover. */
export function describeRows(rows: readonly SampleRow[]): readonly string[] {
  return rows.map((row) => JSON.stringify(comparedColumns.map((name) => describeValue(row[name])))).sort()
}

/** Returns a value as JSON has it, with amounts as doubles. */
export function describeValue(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  // The Parquet reader returns decimals as floats; only four decimal places are significant.
  if (typeof value === 'number') return Math.round(value * 10_000) / 10_000
  return value instanceof Date ? value.toISOString().slice(0, 10) : (value ?? null)
}

export function countRows(file: ArrayBuffer): number {
  return Number(parquetMetadata(file).num_rows)
}

/** The complete schema of a file as written. */
export function readSchema(file: ArrayBuffer): readonly unknown[] {
  return parquetMetadata(file).schema
}

/**
 * The part of the schema that readers rely on: names, nullability and logical types. Physical types differ by engine.
 * Uses `converted_type`, because all engines write that older form of a logical type.
 */
export function describeColumns(file: ArrayBuffer): readonly string[] {
  return parquetMetadata(file)
    .schema.slice(1)
    .map(({ name, repetition_type, converted_type = 'GROUP', precision, scale }) =>
      [name, repetition_type, converted_type, precision, scale].filter((part) => part !== undefined).join(' '),
    )
}
