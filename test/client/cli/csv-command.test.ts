import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { DuckDBInstance } from '@duckdb/node-api'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommandLine } from '../../../client/cli/run.ts'
import { Interrupted } from '../../../client/command-line/command-errors.ts'
import { makeWorld } from './world.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'csv-'))
  const connection = await (await DuckDBInstance.create()).connect()
  // Lists, NULLs, dates and decimals over several pages and row groups, as shards have them.
  for (const [file, from] of [
    ['b', 25_000],
    ['a', 0],
  ])
    await connection.run(`COPY (
      SELECT 'Plan "' || i % 7 || '", north' AS plan, lpad((i % 900)::VARCHAR, 5, '0') AS billing_code,
        CASE WHEN i % 3 = 0 THEN NULL WHEN i % 5 = 0 THEN ['11'] ELSE [lpad((i % 90)::VARCHAR, 2, '0'), '22', NULL] END AS service_code,
        (i / 100)::DECIMAL(18, 4) AS negotiated_rate, DATE '2026-01-01' + (i % 400)::INTEGER AS expiration_date,
        CASE WHEN i % 2 = 0 THEN '=1+' || i END AS description, 1000000000 + i AS npi
      FROM range(${from}, ${from} + 25000) AS rows(i)
    ) TO '${join(folder, `${file}.parquet`)}' (FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE 10240)`)
})
afterAll(() => rm(folder, { recursive: true }))

async function run(...args: string[]) {
  const world = makeWorld()
  const code = await runCommandLine(['csv', ...args], world, '1.0.0')
  return { code, ...world.written }
}

describe('rate-search csv', () => {
  it('writes every row of all files in order, as DuckDB reads them, and explains the columns', async () => {
    const out = join(folder, 'all.csv')
    const { code, output } = await run(folder, '--out', out)
    expect([code, output]).toEqual([
      0,
      `50,000 rows in ${out}, columns explained in ${join(folder, 'all-columns.csv')}\n`,
    ])
    const connection = await (await DuckDBInstance.create()).connect()
    const expected = `SELECT plan, '="' || billing_code || '"', '="' || array_to_string(list_transform(service_code, x -> coalesce(x, '')), ', ') || '"',
      negotiated_rate::DOUBLE::VARCHAR, expiration_date::VARCHAR, '''' || description, '="' || npi || '"' FROM '${folder}/*.parquet'`
    const written = `SELECT * REPLACE (negotiated_rate::DOUBLE::VARCHAR AS negotiated_rate)
      FROM read_csv('${out}', all_varchar = true, header = true)`
    for (const [one, other] of [
      [expected, written],
      [written, expected],
    ])
      expect((await connection.runAndReadAll(`${one} EXCEPT ALL ${other} LIMIT 3`)).getRowsJson()).toEqual([])
    const [, first = ''] = (await readFile(out, 'utf8')).split('\r\n')
    expect(first).toBe('"Plan ""0"", north","=""00000""",,0,2026-01-01,\'=1+0,"=""1000000000"""')
    const columns = (await readFile(join(folder, 'all-columns.csv'), 'utf8')).split('\r\n')
    expect(columns.filter((line) => line.startsWith('npi,'))).toEqual([
      'npi,"=""0 = a rate agreed for the whole TIN"""',
    ])
  })

  it('writes decimals with all of their digits', async () => {
    const [path, out] = [join(folder, 'exact.bin'), join(folder, 'exact.csv')]
    const amounts = ['99999999999999.9999', '-900719925474.0993', '0.0001', '2.1100', '0.0000', '150.0000']
    const connection = await (await DuckDBInstance.create()).connect()
    await connection.run(`COPY (
      SELECT unnest([${amounts}])::DECIMAL(18, 4) AS negotiated_rate) TO '${path}' (FORMAT parquet, COMPRESSION snappy)`)
    await run(path, '--out', out)
    const [, ...lines] = (await readFile(out, 'utf8')).trimEnd().split('\r\n')
    expect(lines).toEqual(['99999999999999.9999', '-900719925474.0993', '0.0001', '2.11', '0', '150'])
  })

  it('makes names of columns harmless that are formulas or hold controls', async () => {
    const [path, out] = [join(folder, 'names.bin'), join(folder, 'names.csv')]
    const names = ['=1+1', 'a\u001b[2Jb', 'npi']
    const columnData = names.map((name) => ({ name, data: ['text'] }))
    await writeFile(path, new Uint8Array(parquetWriteBuffer({ columnData })))
    await run(path, '--out', out)
    expect((await readFile(out, 'utf8')).split('\r\n')[0]).toBe("\ufeff'=1+1,a\ufffd[2Jb,npi")
    const meanings = await readFile(join(folder, 'names-columns.csv'), 'utf8')
    expect(meanings.split('\r\n').slice(1, 3)).toEqual(["'=1+1,", 'a\ufffd[2Jb,'])
  })

  it('writes only the columns that are named, in their order', async () => {
    const out = join(folder, 'few.csv')
    await run(join(folder, 'a.parquet'), '--columns', 'npi, plan', '--out', out)
    const [head, first] = (await readFile(out, 'utf8')).split('\r\n')
    expect([head, first]).toEqual(['\ufeffnpi,plan', '"=""1000000000""","Plan ""0"", north"'])
  })

  it.each([
    [['--columns', 'npi,plans'], '--columns: the result has no column plans; it has plan, billing_code'],
    [['--out', 'a.parquet'], 'a.parquet already exists; name another file'],
  ])('refuses %j', async (options, message) => {
    const args = options.map((each) => each.replace('a.parquet', join(folder, 'a.parquet')))
    const { code, errors } = await run(folder, ...args)
    expect(errors).toContain(message)
    expect(code).toBe(2)
  })

  it.runIf(process.platform === 'linux')(
    'fails in one line, and leaves nothing behind, if the disk is full',
    async () => {
      const out = join(folder, 'full.csv')
      await symlink('/dev/full', `${out}.part`)
      const { code, errors } = await run(folder, '--out', out)
      expect([code, errors]).toEqual([1, `error: ${out} cannot be written: ENOSPC\n`])
      expect((await readdir(folder)).filter((name) => name.startsWith('full'))).toEqual([])
    },
  )

  it('refuses a missing file, and a folder without files', async () => {
    expect((await run(join(folder, 'none'))).errors).toContain(`${join(folder, 'none')} does not exist`)
    expect((await run()).errors).toContain('give the files of a result, or their folder')
  })

  it('leaves nothing behind on Ctrl-C, and does not say that it goes on from there', async () => {
    const world = { ...makeWorld(), signal: AbortSignal.abort(new Interrupted()) }
    const args = ['csv', folder, '--out', join(folder, 'stopped.csv')]
    expect([await runCommandLine(args, world, '1.0.0'), world.written.errors]).toEqual([130, 'stopped\n'])
    expect((await readdir(folder)).filter((name) => name.startsWith('stopped'))).toEqual([])
  })

  it('leaves nothing behind of a file that is damaged, and says which', async () => {
    const bad = join(folder, 'bad.bin')
    const bytes = await readFile(join(folder, 'a.parquet'))
    await writeFile(bad, bytes.fill(7, 1000, 60_000))
    const out = join(folder, 'bad.csv')
    const { code, errors } = await run(bad, '--out', out)
    expect(errors).toContain(`error: ${bad} is damaged or not a Parquet file: `)
    expect(code).toBe(1)
    expect((await readdir(folder)).filter((name) => name.startsWith('bad.csv'))).toEqual([])
  })

  it('opens in a spreadsheet with ids as text', async ({ skip }) => {
    const office = await promisify(execFile)('soffice', ['--version']).then(
      () => true,
      () => false,
    )
    if (!office) skip('no LibreOffice')
    const out = join(folder, 'sheet.csv')
    await run(join(folder, 'a.parquet'), '--columns', 'billing_code,description,npi', '--out', out)
    const small = (await readFile(out, 'utf8')).split('\r\n').slice(0, 3).join('\r\n')
    await writeFile(out, small)
    const home = `-env:UserInstallation=file://${join(folder, 'office')}`
    await promisify(execFile)('soffice', [home, '--headless', '--convert-to', 'fods', '--outdir', folder, out])
    const sheet = await readFile(join(folder, 'sheet.fods'), 'utf8')
    expect(sheet).toContain('office:value-type="string" office:string-value="00000"')
    expect(sheet).toContain('office:value-type="string" office:string-value="1000000000"')
    expect(sheet).not.toContain('table:formula="of:=1+0"')
  }, 120_000)
})
