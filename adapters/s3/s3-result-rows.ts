import { S3Client } from '@aws-sdk/client-s3'
import type { ResultRow, ResultRows } from '../../core/calls/ports.ts'
import type { Shard } from '../../core/job/job.ts'
import { ColumnReader } from '../../parquet/column-reader.ts'
import { Decimal } from '../../parquet/decimal.ts'
import { openParquet, type RowGroup } from '../../parquet/parquet-file.ts'
import { ValueBudget } from '../../parquet/value-budget.ts'
import { longRequests } from '../request-limits.ts'
import { callLimits, LimitReached, openBoundedReads, type ReadLimits, type ReadRange } from './ranges/bounded-reads.ts'

/** A file of at most this size is read with one request; of a larger one only what the rows need. */
const wholeFileBytes = 1_000_000

/** Rows and values that are decoded at once: what was read before a limit is reached is not lost. */
const [blockRows, blockValues] = [100, 1_000_000]

/** Reads rows of result files in one S3 bucket by ranges, as few bytes as the rows need. */
export function openS3ResultRows(
  bucket: string,
  now: () => Date,
  limits: ReadLimits = callLimits,
  client = new S3Client(longRequests),
): ResultRows {
  return {
    readFirst: async (shards, columns, limit) => {
      const readWithin = openBoundedReads(client, bucket, limits, now)
      const rows: ResultRow[] = []
      try {
        for (const shard of shards) {
          if (rows.length >= limit) break
          for await (const block of readShard(shard, { columns, limit: limit - rows.length, read: readWithin }))
            rows.push(...block)
        }
      } catch (error) {
        if (!(error instanceof LimitReached)) throw error
      }
      return rows
    },
  }
}

/** The part of a file that is asked for, and the reading of its bytes. */
interface Reading {
  readonly columns: readonly string[]
  readonly limit: number
  readonly read: ReadRange
}

async function* readShard({ key, bytes }: Shard, { columns, limit, read }: Reading): AsyncGenerator<ResultRow[]> {
  const whole = bytes <= wholeFileBytes ? await read(key, 0, bytes) : undefined
  const slice = async (start: number, end: number) => whole?.slice(start, end) ?? read(key, start, end)
  const { rowGroups } = await openParquet({ byteLength: bytes, isRemote: whole === undefined, slice })
  let rowsLeft = limit
  for (const rowGroup of rowGroups) {
    if (rowsLeft === 0) break
    const count = Math.min(rowsLeft, rowGroup.rows)
    yield* readRowGroup(rowGroup, columns, count)
    rowsLeft -= count
  }
}

async function* readRowGroup(
  { chunks }: RowGroup,
  columns: readonly string[],
  count: number,
): AsyncGenerator<ResultRow[]> {
  const readers = columns.map((name) => {
    const chunk = chunks.get(name)
    return { name, reader: chunk && new ColumnReader(chunk) }
  })
  for (let start = 0; start < count; start += blockRows) {
    const size = Math.min(blockRows, count - start)
    const budget = new ValueBudget(blockValues)
    const values = await Promise.all(readers.map(({ reader }) => reader?.take(size, budget)))
    yield Array.from({ length: size }, (_, row) =>
      Object.fromEntries(readers.map(({ name }, column) => [name, plainValue(values[column]?.[row])])),
    )
  }
}

/** @throws RangeError if a whole number is not exact as a JavaScript number */
function plainValue(value: unknown): ResultRow[string] {
  if (value === null || value === undefined) return null
  if (Array.isArray(value)) return value.map((item: unknown) => (item === null ? null : String(item)))
  if (value instanceof Decimal) return value.toString()
  if (value instanceof Date) return value.toISOString().slice(0, 10)
  if (typeof value === 'string') return value
  const number = Number(value)
  if (!Number.isSafeInteger(number)) throw new RangeError(`the value ${String(value)} of a result is no whole number`)
  return number
}
