import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ColumnValue } from '../../../../loader/collect/column-values.ts'
import { writeRows } from '../../../../loader/write/parquet/write-rows.ts'
import type { Column, ColumnType } from '../../../../schema/columns/column.ts'

const columnOf = (name: string, type: ColumnType): Column => ({
  name,
  type,
  nullable: true,
  required: false,
  home: 'negotiated_rates',
  meaning: '',
  sourceField: '',
})

const columns = [
  columnOf('text', 'varchar'),
  columnOf('list', 'varchar ARRAY'),
  columnOf('number', 'integer'),
  columnOf('other', 'varchar'),
  columnOf('nothing', 'varchar ARRAY'),
  columnOf('whole', 'bigint'),
]

let folder = ''
const duckdb = await DuckDBInstance.create(':memory:')
const connection = await duckdb.connect()

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rows-'))
})
afterAll(async () => {
  duckdb.closeSync()
  await rm(folder, { recursive: true })
})

const anyText = fc.oneof(fc.constantFrom('', 'a', 'b'), fc.string({ unit: 'grapheme', maxLength: 80 }))
const nullable = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null })
/** Values of the columns that rows with the same id share. */
const anyShared = fc.array(
  fc.record({
    text: nullable(anyText),
    list: nullable(fc.array(anyText, { minLength: 1, maxLength: 12 })),
    number: nullable(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
  }),
  { minLength: 1, maxLength: 40 },
)
/** Lengths of runs of rows, each with the id of its shared values. */
const anyRuns = fc.array(fc.tuple(fc.nat({ max: 400 }), fc.nat(), fc.nat()), { maxLength: 60 })

async function readByDuckdb(path: string) {
  const reader = await connection.runAndReadAll(`
    SELECT text, list, number, other, nothing, whole FROM read_parquet('${path}', file_row_number = true)
    ORDER BY file_row_number`)
  return reader.getRowObjectsJS()
}

async function readByHyparquet(path: string) {
  const file = await asyncBufferFromFile(path)
  const rows = await parquetReadObjects({ file, compressors: { ZSTD: (bytes) => zstdDecompressSync(bytes) } })
  // It reads a list that is not there as undefined.
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value ?? null])))
}

it('writes rows that DuckDB and hyparquet read, whatever their values, lists, nulls and runs', async () => {
  let written = 0
  await fc.assert(
    fc.asyncProperty(anyShared, anyRuns, async (shared, runs) => {
      const path = join(folder, `${written++}.parquet`)
      const rows = runs.flatMap(([length, id, other]) =>
        Array.from({ length }, (_, index) => [id % shared.length, (other + index * index) % 3] as const),
      )
      const whole = rows.map((_, index) => BigInt(index) * 7919n - 500n)
      const others = ['x', null, 'y']
      const valuesOf = (name: 'list' | 'number' | 'text') => shared.map((each): ColumnValue => each[name])
      const file = {
        path,
        columns,
        rows: rows.length,
        shared: [
          new Map([
            ['text', valuesOf('text')],
            ['list', valuesOf('list')],
            ['number', valuesOf('number')],
            ['nothing', shared.map(() => null)],
          ]),
          new Map([['other', others]]),
        ],
        integers: ['whole'],
      }
      await writeRows(file, function* ({ ids, integers, size }) {
        for (let from = 0; from < rows.length; from += size) {
          const some = rows.slice(from, from + size)
          ids[0]?.set(some.map(([id]) => id))
          ids[1]?.set(some.map(([, id]) => id))
          integers[0]?.set(whole.slice(from, from + size))
          yield some.length
        }
      })
      const expected = rows.map(([id, other], index) => ({
        ...shared[id],
        other: others[other],
        nothing: null,
        whole: whole[index],
      }))
      expect(await readByDuckdb(path)).toEqual(expected)
      if (rows.length > 0) expect(await readByHyparquet(path)).toEqual(expected)
    }),
    { numRuns: 60 },
  )
}, 120_000)

it('states the range of each column, so that searches skip row groups', async () => {
  const path = join(folder, 'ranges.parquet')
  const texts = ['é', 'z', 'a']
  const rows = 5000
  await writeRows(
    {
      path,
      rows,
      columns: [columnOf('text', 'varchar'), columnOf('whole', 'bigint')],
      shared: [new Map([['text', texts]])],
      integers: ['whole'],
    },
    function* ({ ids, integers, size }) {
      for (let from = 0; from < rows; from += size) {
        const some = Array.from({ length: Math.min(size, rows - from) }, (_, row) => from + row)
        ids[0]?.set(some.map((row) => (row < 2048 ? 2 : row % 2)))
        integers[0]?.set(some.map((row) => BigInt(row) - 10n))
        yield some.length
      }
    },
  )
  const { row_groups } = await parquetMetadataAsync(await asyncBufferFromFile(path))
  const ranges = row_groups.map(({ columns: chunks }) =>
    chunks.map(({ meta_data }) => [meta_data?.statistics?.min_value, meta_data?.statistics?.max_value]),
  )
  expect(ranges).toEqual([
    [
      ['a', 'a'],
      [-10n, 2037n],
    ],
    [
      ['z', 'é'],
      [2038n, 4085n],
    ],
    [
      ['z', 'é'],
      [4086n, 4989n],
    ],
  ])
})

it.each([
  ['fewer', 3],
  ['more', 1],
])('refuses %s rows than it was told of', async (_, rows) => {
  const path = join(folder, `${rows}-of-two.parquet`)
  const file = { path, rows, columns: [columnOf('whole', 'bigint')], shared: [], integers: ['whole'] }
  const writing = writeRows(file, function* ({ integers }) {
    integers[0]?.set([1n, 2n])
    yield 2
  })
  await expect(writing).rejects.toThrow(`2 rows came instead of ${rows}`)
})
