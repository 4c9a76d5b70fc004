import { link, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCommandLine } from '../../client/cli/run.ts'
import { downloadFiles } from '../../client/downloads/download.ts'
import { DownloadFailed } from '../../client/errors.ts'
import { makeWorld } from './cli/world.ts'
import { makeParquet, world } from './set-up-downloads.ts'

const file = makeParquet(1000)

/** A home with a file to protect, and the folder of downloads in it. */
let home: string
let folder: string
const victim = () => join(home, 'victim')
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'hostile-'))
  folder = join(home, 'rates')
  await mkdir(folder)
  await writeFile(victim(), 'original')
})
afterEach(() => rm(home, { recursive: true }))

const answerWith = (body: Uint8Array, headers: Record<string, string> = {}) => {
  const asked: string[] = []
  const answer: typeof fetch = async (input) => {
    asked.push(String(input))
    const stated = { ETag: '"a"', 'Content-Length': String(file.length), ...headers }
    return new Response(Uint8Array.from(body), { headers: stated })
  }
  return { asked, fetch: answer }
}

/** Downloads files of these names, each with the same bytes. */
const download = (names: readonly unknown[], storage = answerWith(file), facts: Record<string, unknown> = {}) => {
  const files = names.map((name) => ({ name, bytes: file.length, url: 'https://storage.example/', ...facts }))
  // Answers are not checked against the contract, so anything can be in them.
  return downloadFiles(async () => JSON.parse(JSON.stringify(files)), folder, { ...world, fetch: storage.fetch }, {})
}

const hostileNames = [
  ...[
    '../victim',
    '../.ssh/authorized_keys',
    '../../x.parquet',
    '../escaped.parquet',
    'a/../../x.parquet',
    './a.parquet',
  ],
  ...['/etc/cron.d/x.parquet', '/tmp/x.parquet', 'a/b.parquet', '..', '.', '', ' ', '...', '~/x.parquet', '~'],
  ...[
    '..\\victim',
    '..\\x.parquet',
    'C:\\x.parquet',
    'C:x.parquet',
    '\\\\host\\share\\x.parquet',
    '\\\\?\\C:\\x.parquet',
  ],
  ...['a.parquet:stream', 'a:b.parquet', 'a.parquet::$DATA', 'A~1.parquet', 'a.parquet.', 'a.parquet ', ' a.parquet'],
  ...['CON.parquet', 'con.parquet', 'NUL.parquet', 'nul.x.parquet', 'AUX.parquet', 'prn.parquet', 'COM1.parquet'],
  ...['lpt9.parquet', 'COM0.a.parquet', 'com¹.parquet', 'CONIN$.parquet', 'nul', 'NUL.'],
  ...['a\u0000.parquet', '../x\u0000.parquet', 'a\n.parquet', 'a\r.parquet', '\u001b[2J.parquet', 'a\u009b.parquet'],
  ...['a\u202egnp.parquet', 'ａ.parquet', '．．／x.parquet', '..%2fx.parquet', '%2e%2e/x.parquet', 'a\ud800.parquet'],
  ...['.bashrc', '.parquet', '.a.parquet', '-rf.parquet', 'a.parquet.part', 'a.parquet.part.json', 'package.json'],
  ...[
    'authorized_keys',
    'Makefile',
    'a*.parquet',
    'a?.parquet',
    'a|b.parquet',
    '$(x).parquet',
    `${'a'.repeat(250)}.parquet`,
  ],
  ...[null, 7, {}, ['a.parquet'], undefined],
]

describe('a download of hostile files', () => {
  it.each(hostileNames.map((name) => [name]))('refuses a file named %j before it requests a byte', async (name) => {
    const storage = answerWith(file)
    await expect(download(['good.parquet', name], storage)).rejects.toThrow(DownloadFailed)
    expect(storage.asked).toEqual([])
    expect([await readdir(home), await readdir(folder)]).toEqual([['rates', 'victim'], []])
    expect(await readFile(victim(), 'utf8')).toBe('original')
  })

  it.each([[['a.parquet', 'a.parquet']], [['a.parquet', 'b.parquet', 'A.PARQUET']]])(
    'refuses the names %j, which are one file on some systems',
    async (names) => {
      await expect(download(names)).rejects.toThrow('the service names two files')
      expect(await readdir(folder)).toEqual([])
    },
  )

  it.each([null, -1, 0.5, '1008', 1e300])('refuses a file whose stated size is %j', async (bytes) => {
    await expect(download(['a.parquet'], answerWith(file), { bytes })).rejects.toThrow('does not state the size')
  })

  it('refuses the same names through the command line', async () => {
    const storage = answerWith(file)
    const shards = [{ name: '../victim', rows: 1, bytes: file.length, checksum: null, url: 'https://storage.example/' }]
    const body = { job_id: 'x', status: 'completed', created_at: '', download_urls: [], fee_schedules: [], shards }
    const before = globalThis.fetch
    globalThis.fetch = async (input) =>
      String(input).includes('/v1/') ? Response.json(body) : await storage.fetch(input)
    const environment = { RATE_SEARCH_URL: 'https://rates.example', RATE_SEARCH_KEY: 'rates_x' }
    const terminal = makeWorld({ environment })
    const job = '2a39443a-064f-4d78-b562-c11683209ccf'
    const exitCode = await runCommandLine(['download', job, '--out', folder], terminal, '1').finally(() => {
      globalThis.fetch = before
    })
    expect([exitCode, terminal.written.errors]).toEqual([1, expect.stringContaining('a file "../victim": only plain')])
    expect(storage.asked).toEqual([])
    expect(await readFile(victim(), 'utf8')).toBe('original')
  })
})

describe('a download', () => {
  it.each(['job-0001.parquet', 'A_b.c-1.parquet', 'console.parquet', 'common.parquet', 'null.parquet'])(
    'writes a file named %s',
    async (name) => {
      await download([name])
      expect(await readdir(folder)).toEqual([name])
    },
  )

  it.each(['a.parquet', 'a.parquet.part'])('follows no symbolic link at %s', async (name) => {
    await symlink(victim(), join(folder, name))
    const storage = answerWith(file)
    await expect(download(['a.parquet'], storage)).rejects.toThrow(/cannot be (read|written): it is a link/)
    expect(storage.asked).toEqual([])
    expect(await readFile(victim(), 'utf8')).toBe('original')
  })

  it('writes no partial file that has a second name', async () => {
    await link(victim(), join(folder, 'a.parquet.part'))
    await expect(download(['a.parquet'])).rejects.toThrow('has a second name')
    expect(await readFile(victim(), 'utf8')).toBe('original')
  })

  it('takes no longer file than the manifest states, and asks once more for a fresh URL', async () => {
    const storage = answerWith(Buffer.alloc(5000), { 'Content-Length': '5000' })
    await expect(download(['a.parquet'], storage)).rejects.toThrow('it has 5000 bytes and not 1008')
    expect(storage.asked).toHaveLength(2)
    expect((await readFile(join(folder, 'a.parquet.part'))).length).toBe(0)
  })

  it('writes no more bytes than stated, however many come, and does not ask again', async () => {
    const storage = answerWith(makeParquet(50_000))
    await expect(download(['a.parquet'], storage)).rejects.toThrow('sent more bytes than were stated')
    expect(storage.asked).toHaveLength(1)
    expect((await readFile(join(folder, 'a.parquet.part'))).length).toBeLessThanOrEqual(file.length)
  })

  it('replaces a file of the right name and size whose checksum is wrong', async () => {
    const value = Buffer.alloc(4)
    value.writeUInt32BE(crc32(file))
    const checksum = { algorithm: 'CRC32', type: 'FULL_OBJECT', value: value.toString('base64') }
    await writeFile(join(folder, 'a.parquet'), Buffer.alloc(file.length))
    expect(await download(['a.parquet'], answerWith(file), { checksum })).toMatchObject([{ verified: 'checksum' }])
    expect(Buffer.compare(await readFile(join(folder, 'a.parquet')), file)).toBe(0)
  })
})
