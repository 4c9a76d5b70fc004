import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommandLine } from '../../../client/cli/run.ts'
import { writeParquet } from '../../local/athena/warehouse-fixture.ts'
import {
  addFooter,
  ids,
  intOf,
  itemsOf,
  positionPages,
  type TakenApart,
  takeApart,
} from '../../parquet/taken-apart-file.ts'
import { fieldOf } from '../../parquet/thrift.ts'
import { makeWorld } from './world.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hostile-results-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** A small file of one column, `price_key`, whose one page refers to a dictionary. */
function makeFile(): TakenApart {
  const data = Array.from({ length: 100 }, () => 'a key')
  const columnData = [{ name: 'price_key', data, type: 'STRING' as const, nullable: false }]
  return takeApart(new Uint8Array(parquetWriteBuffer({ columnData, codec: 'UNCOMPRESSED' })))
}

/** Encodes a number as Parquet does in front of a run. */
function writeVarint(value: number): readonly number[] {
  return value < 128 ? [value] : [(value % 128) | 128, ...writeVarint(Math.floor(value / 128))]
}

/** The file, which claims to have a number of rows, and for them one run that repeats a term. */
function writeLongRun(rows: number): Uint8Array {
  const { footer, chunks } = makeFile()
  for (const { meta, pages } of chunks) {
    const page = pages.at(-1)
    if (page === undefined) throw new TypeError('a column without pages')
    const run = Uint8Array.of(1, ...writeVarint(rows * 2), 0)
    page.body = run
    for (const id of [ids.pageBytes, ids.pageStoredBytes]) intOf(page.header, id).value = BigInt(run.length)
    const data = fieldOf(page.header, ids.pageData) ?? fieldOf(page.header, ids.pageDataV2)
    intOf(data, ids.dataValues).value = BigInt(rows)
    intOf(meta, ids.columnValues).value = BigInt(rows)
  }
  intOf(footer, ids.rows).value = BigInt(rows)
  for (const group of itemsOf(fieldOf(footer, ids.groups))) intOf(group, ids.groupRows).value = BigInt(rows)
  return addFooter(positionPages({ footer, chunks }), footer)
}

/** Writes a file with a number of columns. */
function writeColumns(count: number): Uint8Array {
  const columnData = Array.from({ length: count }, (_, index) => ({ name: `column ${index}`, data: [1] }))
  return new Uint8Array(parquetWriteBuffer({ columnData }))
}

async function run(...args: string[]) {
  const world = makeWorld()
  const code = await runCommandLine(args, world, '1.0.0')
  return { code, ...world.written }
}

describe('a file that claims to have much', () => {
  it.each([
    ['2,000,000,000 rows in one run', () => writeLongRun(2_000_000_000), 'a page of 2000000000 values'],
    ['100,000,000 rows in one run', () => writeLongRun(100_000_000), 'a page of 100000000 values'],
    ['20,000 columns', () => writeColumns(20_000), 'its schema has 20001 elements, at most 3000 are allowed'],
  ])('fails with one line, and leaves nothing behind: %s', async (_, write, reason) => {
    const path = join(folder, 'hostile.parquet')
    await writeFile(path, write())
    const out = join(folder, 'out.csv')
    const message = `error: ${path} is damaged or not a Parquet file: ${reason}\n`
    expect(await run('csv', path, '--out', out)).toMatchObject({ code: 1, errors: message })
    expect(await run('diff', path, path, '--unknown-requests')).toMatchObject({ code: 1, errors: message })
    expect(await readdir(folder)).toEqual(['hostile.parquet'])
  })

  it('gives its rows if the claim is true', async () => {
    const path = join(folder, 'true.parquet')
    await writeFile(path, writeLongRun(30_000))
    const { output } = await run('csv', path, '--out', join(folder, 'true.csv'), '--json')
    expect(JSON.parse(output)).toMatchObject({ rows: 30_000 })
  })
})

describe('a file of rows with long lists', () => {
  it('gives each row, however many values its rows have together', async () => {
    const path = join(folder, 'lists.parquet')
    const listOf = (value: string) => `list_transform(range(75000 + range % 2), lambda each: '${value}')`
    const select = `SELECT range AS price_id, ${listOf('P')} AS service_code, ${listOf('N')} AS network_name FROM range(140)`
    await writeParquet(folder, select, 'lists.parquet')
    const out = join(folder, 'lists.csv')
    expect(await run('csv', path, '--out', out)).toMatchObject({ code: 0 })
    const [, ...lines] = (await readFile(out, 'utf8')).trimEnd().split('\r\n')
    const countValues = (line: string) => [line.split('P').length - 1, line.split('N').length - 1]
    expect(lines.map(countValues)).toEqual(lines.map((_, row) => [75_000 + (row % 2), 75_000 + (row % 2)]))
    expect(lines).toHaveLength(140)
  })
})
