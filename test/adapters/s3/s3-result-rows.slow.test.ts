import { randomUUID } from 'node:crypto'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { describe, expect, it } from 'vitest'
import { makeEmptyShard } from '../../../adapters/s3/empty-shard.ts'
import { callLimits, type ReadLimits } from '../../../adapters/s3/ranges/bounded-reads.ts'
import { openS3ResultRows } from '../../../adapters/s3/s3-result-rows.ts'
import type { Shard } from '../../../core/job/job.ts'
import { ratesColumns } from '../../../schema/columns/rates.ts'
import { connectEndpoints } from '../../endpoints/connect.ts'
import { writeByDuckdb } from '../../parquet/write-by-duckdb.ts'

const { resultsBucket } = connectEndpoints()
const s3 = new S3Client({})

async function put(rows: number, bytes: Uint8Array): Promise<Shard> {
  const key = `results/${randomUUID()}/file`
  await s3.send(new PutObjectCommand({ Bucket: resultsBucket, Key: key, Body: bytes }))
  return { key, bytes: bytes.byteLength, rows }
}

/** A file of rows with a number and a text of random words, which Snappy hardly shortens. */
async function putRows(rows: number, words: number, start = 0): Promise<Shard> {
  const numbers = Array.from({ length: rows }, (_, index) => BigInt(start + index))
  const texts = numbers.map((number) =>
    [number, ...Array.from({ length: words }, () => Math.random().toString(36))].join(''),
  )
  const columnData = [
    { name: 'npi', data: numbers, type: 'INT64' as const },
    { name: 'plan', data: texts, type: 'STRING' as const },
  ]
  return put(rows, new Uint8Array(parquetWriteBuffer({ columnData, codec: 'SNAPPY', rowGroupSize: 1000 })))
}

const read = (limits: Partial<ReadLimits> = {}, now = () => new Date()) =>
  openS3ResultRows(resultsBucket, now, { ...callLimits, ...limits })

/** Room that no test exceeds unless it is about it. */
const wide = 100_000_000

const numbersOf = (rows: readonly { readonly [column: string]: unknown }[]) => rows.map((row) => row['npi'])
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

describe('rows of result files', () => {
  it('come in the order of the files, over row groups and files, up to the limit', async () => {
    const shards = [await putRows(1500, 5), await putRows(700, 5, 1500)]
    for (const limit of [1, 999, 1000, 1001, 1500, 1501, 2200, 5000])
      expect(numbersOf(await read().readFirst(shards, ['npi'], limit, wide))).toEqual(upTo(Math.min(limit, 2200)))
  })

  it('contain NULL in a column that a file lacks, and none if a file has no rows', async () => {
    const shards = [await put(0, makeEmptyShard(ratesColumns)), await putRows(2, 1)]
    expect(await read().readFirst(shards, ['npi', 'flags'], 5, wide)).toEqual([
      { npi: 0, flags: null },
      { npi: 1, flags: null },
    ])
  })

  it('need only the start of a large file', async () => {
    const shard = await putRows(3000, 90)
    expect(shard.bytes).toBeGreaterThan(2_500_000)
    expect(numbersOf(await read({ bytes: 400_000 }).readFirst([shard], ['npi', 'plan'], 10, wide))).toEqual(upTo(10))
  })

  it('end where more bytes or time would be needed than allowed, with the rows that were read', async () => {
    const shard = await putRows(3000, 90)
    const some = await read({ bytes: 1_500_000 }).readFirst([shard], ['npi', 'plan'], 3000, wide)
    expect(some.length).toBeLessThan(3000)
    expect(numbersOf(some)).toEqual(upTo(some.length))
    let calls = 0
    const late = () => {
      calls += 1
      return new Date(calls * 1000)
    }
    const few = await read({ milliseconds: 8000 }, late).readFirst([shard], ['npi', 'plan'], 3000, wide)
    expect(few.length).toBeGreaterThan(0)
    expect(few.length).toBeLessThan(3000)
    expect(numbersOf(few)).toEqual(upTo(few.length))
  })

  it('end before the room is exceeded, however long the lists of a row are', async () => {
    const rowsSql = "SELECT i AS npi, list_transform(range(i * 200), lambda n: 'P' || n) AS service_code"
    const shard = await put(130, new Uint8Array((await writeByDuckdb(`${rowsSql} FROM range(130) t(i)`)).buffer))
    const columns = ['npi', 'service_code']
    for (const room of [50, 1_000, 100_000, 4_000_000]) {
      const rows = await read().readFirst([shard], columns, 1000, room)
      expect(rows.map(({ service_code: places }) => Array.isArray(places) && places.length)).toEqual(
        rows.map((_, index) => index * 200),
      )
      expect(JSON.stringify(rows).length).toBeLessThan(room + 3)
      expect(rows.length).toBeGreaterThan(0)
      expect(rows.length).toBeLessThan(130)
    }
    expect(await read().readFirst([shard], columns, 1000, wide)).toHaveLength(130)
  })

  it('end before a row of more values than can be held', async () => {
    const rowsSql = "SELECT i AS npi, list_transform(range(i * 600000), lambda n: 'P') AS service_code"
    const shard = await put(3, new Uint8Array((await writeByDuckdb(`${rowsSql} FROM range(3) t(i)`)).buffer))
    expect(numbersOf(await read().readFirst([shard], ['npi', 'service_code'], 3, wide))).toEqual([0, 1])
  })

  it('fail if a file is missing or ends early', async () => {
    const shard = await putRows(2, 1)
    await expect(read().readFirst([{ ...shard, key: `${shard.key}x` }], ['npi'], 1, wide)).rejects.toThrow()
    await expect(read().readFirst([{ ...shard, bytes: shard.bytes + 1 }], ['npi'], 1, wide)).rejects.toThrow(
      'ends early',
    )
  })
})
