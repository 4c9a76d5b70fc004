import { S3Client } from '@aws-sdk/client-s3'
import type { ResultRow, ResultRows } from '../../core/calls/ports.ts'
import type { Shard } from '../../core/job/job.ts'
import { ColumnReader } from '../../parquet/column-reader.ts'
import { Decimal } from '../../parquet/decimal.ts'
import { openParquet, type RowGroup } from '../../parquet/parquet-file.ts'
import { countRowsAtOnce, TooManyValues, ValueBudget } from '../../parquet/value-budget.ts'
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
    readFirst: async (shards, columns, limit, room) => {
      const readWithin = openBoundedReads(client, bucket, limits, now)
      const rows: ResultRow[] = []
      let characters = 0
      try {
        for (const shard of shards) {
          if (rows.length >= limit) break
          for await (const block of readShard(shard, { columns, limit: limit - rows.length, read: readWithin }))
            for (const row of block) {
              characters += lengthOf(row)
              if (characters > room) return rows
              rows.push(row)
            }
        }
      } catch (error) {
        if (!(error instanceof LimitReached || error instanceof TooManyValues)) throw error
      }
      return rows
    },
  }
}

/** Returns the number of characters of a row in JSON, without writing it; escapes in texts are not counted. */
function lengthOf(row: ResultRow): number {
  let length = 0
  for (const [name, value] of Object.entries(row)) {
    length += name.length + 4
    if (Array.isArray(value)) for (const element of value) length += lengthOfValue(element)
    else length += lengthOfValue(value)
  }
  return length
}

/** Texts have quotes, and each value a comma. */
const lengthOfValue = (value: unknown) => String(value).length + (typeof value === 'string' ? 3 : 1)

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
    return { name, chunk, reader: chunk && new ColumnReader(chunk) }
  })
  const rowsAtOnce = countRowsAtOnce(
    readers.flatMap(({ chunk }) => chunk ?? []),
    blockRows,
    blockValues,
  )
  for (let start = 0; start < count; start += rowsAtOnce) {
    const size = Math.min(rowsAtOnce, count - start)
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
