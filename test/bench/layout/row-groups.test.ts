import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RowGroup } from '../../../bench/layout/row-groups.ts'
import { bytesToRead, mayHold, readRowGroups } from '../../../bench/layout/row-groups.ts'

/** Small numbers, so that ranges, rows and searched values often overlap. */
const npi = fc.integer({ min: 0, max: 12 })
const code = fc.constantFrom('10', '100', '11', '2', '99213', 'A0429', 'a')
const allCodes = ['10', '100', '11', '2', '99213', 'A0429', 'a']
const rowsOfGroup = fc.array(fc.record({ npi, code }), { minLength: 1, maxLength: 6 })

type Row = { readonly npi: number; readonly code: string }

/** Describes rows as a footer would. */
function describeRows(rows: readonly Row[], bytes: number): RowGroup {
  const codes = rows.map((row) => allCodes.indexOf(row.code)).sort((a, b) => a - b)
  const npis = rows.map((row) => row.npi).sort((a, b) => a - b)
  return {
    bytes,
    ranges: {
      npi: [npis[0] ?? 0, npis.at(-1) ?? 0],
      billing_code: [allCodes[codes[0] ?? 0] ?? '', allCodes[codes.at(-1) ?? 0] ?? ''],
    },
  }
}

describe('the bytes that a search must read', () => {
  it('are those of every row group whose range contains a searched value, as found by brute force', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(rowsOfGroup, fc.nat(1000))),
        fc.uniqueArray(npi, { minLength: 1 }),
        fc.uniqueArray(code, { minLength: 1 }),
        (groups, npis, codes) => {
          // The model compares positions instead of texts, so that it shares no text comparison with the code.
          const isBetween = (position: number, positions: readonly number[]) =>
            positions.some((other) => other <= position) && positions.some((other) => other >= position)
          const placeOf = (each: string) => allCodes.indexOf(each)
          const holds = (rows: readonly Row[]) =>
            npis.some((each) =>
              isBetween(
                each,
                rows.map((row) => row.npi),
              ),
            ) &&
            codes.some((each) =>
              isBetween(
                placeOf(each),
                rows.map((row) => placeOf(row.code)),
              ),
            )
          const expected = groups.filter(([rows]) => holds(rows)).reduce((sum, [, bytes]) => sum + bytes, 0)
          const rowGroups = groups.map(([rows, bytes]) => describeRows(rows, bytes))
          expect(bytesToRead(rowGroups, { npi: npis, billing_code: codes })).toBe(expected)
        },
      ),
    )
  })

  it('never leave out a matching row', () => {
    fc.assert(
      fc.property(rowsOfGroup, fc.nat(5), (rows, index) => {
        const row = rows[index % rows.length]
        const wanted = { npi: [row?.npi ?? 0], billing_code: [row?.code ?? ''] }
        expect(mayHold(describeRows(rows, 1), wanted)).toBe(true)
      }),
    )
  })

  it('include every row group if a search names nothing or a column has no statistics', () => {
    const rowGroups = [
      { bytes: 3, ranges: { npi: [5, 9] as const } },
      { bytes: 4, ranges: {} },
    ]
    expect(bytesToRead(rowGroups, {})).toBe(7)
    expect(bytesToRead(rowGroups, { npi: [1] })).toBe(4)
    expect(bytesToRead(rowGroups, { npi: [7], billing_code: ['99213'] })).toBe(7)
  })
})

describe('the footers of Parquet files', () => {
  let folder = ''

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'row-groups-'))
  })

  afterAll(() => rm(folder, { recursive: true }))

  it('give each row group its ranges and its bytes, which add up to the file without its ends', async () => {
    const database = await DuckDBInstance.create(':memory:', { threads: '1' })
    const connection = await database.connect()
    const paths = [join(folder, 'a.parquet'), join(folder, 'b.parquet')]
    for (const [file, path] of paths.entries())
      await connection.run(`
        COPY (
          SELECT 1000000000 + ${file} * 5000 + range AS npi, (10000 + range % 7)::varchar AS billing_code, [md5(range::varchar)] AS terms
          FROM range(5000)
        ) TO '${path}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 2048)`)
    const rowGroups = await readRowGroups(connection, paths, { npi: 'number', billing_code: 'text' })
    expect(rowGroups.map(({ ranges }) => ranges)).toEqual(
      [0, 2048, 4096, 5000, 7048, 9096].map((first, index) => ({
        npi: [1_000_000_000 + first, 1_000_000_000 + ([2047, 4095, 4999, 7047, 9095, 9999][index] ?? 0)],
        billing_code: ['10000', '10006'],
      })),
    )
    const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size))
    const stored = sizes.reduce((sum, size) => sum + size, 0)
    const footers = await connection.runAndReadAll(
      `SELECT sum(footer_size)::double FROM parquet_file_metadata(['${paths.join("', '")}'])`,
    )
    const all = bytesToRead(rowGroups, {})
    // A file begins with four magic bytes and ends with eight bytes.
    expect(all).toBeLessThanOrEqual(stored - Number(footers.getRows()[0]?.[0]) - 24)
    expect(all).toBeGreaterThan(0.9 * (stored - Number(footers.getRows()[0]?.[0])))
    expect(bytesToRead(rowGroups, { npi: [1_000_005_000] })).toBe(rowGroups[3]?.bytes)
    connection.closeSync()
    database.closeSync()
  })
})
