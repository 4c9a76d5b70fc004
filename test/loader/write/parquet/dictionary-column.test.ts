import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { noText, TextList } from '../../../../loader/collect/distinct/text-list.ts'
import { TextPool } from '../../../../loader/collect/distinct/text-pool.ts'
import { GroupKeys } from '../../../../loader/collect/groups/group-keys.ts'
import { encodeIntegers, encodeNulls } from '../../../../loader/write/parquet/column-chunk.ts'
import { DictionaryColumn } from '../../../../loader/write/parquet/dictionary-column.ts'
import { ParquetFile } from '../../../../loader/write/parquet/parquet-file.ts'
import { seedsFrom } from '../../../builders/test-machine.ts'

const columns = [
  { name: 'key', type: 'varchar' },
  { name: 'npi', type: 'bigint' },
  { name: 'text', type: 'varchar' },
  { name: 'list', type: 'varchar ARRAY' },
  { name: 'count', type: 'integer' },
] as const

interface Row {
  readonly number: number
  readonly npi: number
  readonly text: string | null
  readonly count: number
}

let folder = ''
const duckdb = await DuckDBInstance.create(':memory:')
const connection = await duckdb.connect()

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'values-'))
})
afterAll(async () => {
  duckdb.closeSync()
  await rm(folder, { recursive: true })
})

let files = 0

/** Writes rows that are sorted by NPI, and returns the file's path. */
async function write(rows: readonly Row[], rowGroup: number, first = 0): Promise<string> {
  const path = join(folder, `${files++}.parquet`)
  const pool = new TextPool(seedsFrom(1))
  const ids = rows.map(({ text }) => (text === null ? noText : pool.add(text)))
  const texts = new DictionaryColumn(pool, { minRepetition: 2 })
  const keys = new DictionaryColumn(new GroupKeys(new TextList(), { first: 0, count: 2 ** 32 }), {
    minRepetition: Number.POSITIVE_INFINITY,
  })
  const counts = DictionaryColumn.of(
    rows.map(({ count }) => count),
    false,
  )
  await using file = await ParquetFile.create(path, columns)
  for (let from = 0; from < rows.length; from += rowGroup) {
    const some = rows.slice(from, from + rowGroup)
    const numbers = Uint32Array.from(some, ({ number }) => first + number)
    const npis = BigInt64Array.from(some, ({ npi }) => BigInt(npi))
    const positions = Uint32Array.from(some, (_, index) => from + index)
    await file.addRowGroup(some.length, [
      (count) => keys.encode(numbers, count),
      (count) => encodeIntegers(npis, count),
      (count) => texts.encode(Uint32Array.from(ids.slice(from, from + rowGroup)), count),
      (count) => encodeNulls(count, true),
      (count) => counts.encode(positions, count),
    ])
  }
  await file.finish()
  return path
}

async function readByDuckdb(path: string) {
  const reader = await connection.runAndReadAll(
    `SELECT key, npi, text, list, count FROM read_parquet('${path}', file_row_number = true) ORDER BY file_row_number`,
  )
  return reader.getRowObjectsJS()
}

async function readByHyparquet(path: string) {
  const file = await asyncBufferFromFile(path)
  const rows = await parquetReadObjects({ file, compressors: { ZSTD: (bytes) => zstdDecompressSync(bytes) } })
  // It reads a list that is not there as undefined.
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? null])))
}

const anyText = fc.oneof(
  fc.constantFrom('', 'ein', 'npi'),
  fc.string({ unit: 'grapheme', maxLength: 100 }),
  fc.stringMatching(/^[0-9]{9}$/),
)
const anyRow: fc.Arbitrary<Row> = fc.record({
  number: fc.nat({ max: 0xff_ff_ff }),
  npi: fc.oneof(fc.constant(0), fc.integer({ min: 1_000_000_000, max: 9_999_999_999 })),
  text: fc.option(anyText, { nil: null }),
  count: fc.oneof(fc.nat({ max: 20 }), fc.nat({ max: 2 ** 31 - 1 })),
})

describe('columns that are encoded from numbers and pooled texts', () => {
  it('reads back in DuckDB and hyparquet, whatever the values and however often they repeat', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyRow, { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer({ min: 1, max: 900 }),
        fc.nat({ max: 0x3e_ff_ff_ff }),
        async (distinct, repetition, rowGroup, first) => {
          const rows = distinct
            .flatMap((row, index) => Array.from({ length: 1 + (index % repetition) }, () => row))
            .toSorted((a, b) => a.npi - b.npi)
          const path = await write(rows, rowGroup, first)
          const expected = rows.map(({ number, npi, text, count }) => ({
            key: `~${(first + number).toString(16).padStart(8, '0')}`,
            npi: BigInt(npi),
            text: text?.toWellFormed() ?? null,
            list: null,
            count,
          }))
          expect(await readByDuckdb(path)).toEqual(expected)
          expect(await readByHyparquet(path)).toEqual(expected)
        },
      ),
      { numRuns: 80 },
    )
  }, 120_000)

  it('state their ranges, and have dictionaries of texts that repeat', async () => {
    const rowOf = (index: number, text: string | null): Row => ({
      number: index,
      npi: index,
      text,
      count: 7 - (index % 3),
    })
    const different = Array.from({ length: 300 }, (_, index) => rowOf(index, `${100 + ((index * 7) % 300)}`))
    const repeated = Array.from({ length: 300 }, (_, index) => rowOf(300 + index, index % 2 === 0 ? 'é' : null))
    const path = await write([...different, ...repeated], 300)
    const { row_groups } = await parquetMetadataAsync(await asyncBufferFromFile(path))
    const facts = row_groups.map((group) =>
      group.columns.map(({ meta_data }) => [
        meta_data?.statistics?.min_value,
        meta_data?.statistics?.max_value,
        meta_data?.encodings.includes('RLE_DICTIONARY'),
      ]),
    )
    expect(facts).toEqual([
      [
        ['~00000000', '~0000012b', false],
        [0n, 299n, false],
        ['100', '399', false],
        [undefined, undefined, false],
        [5, 7, true],
      ],
      [
        ['~0000012c', '~00000257', false],
        [300n, 599n, false],
        ['é', 'é', true],
        [undefined, undefined, false],
        [5, 7, true],
      ],
    ])
  })
})
