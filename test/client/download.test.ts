import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type DownloadOptions, downloadFiles } from '../../client/downloads/download.ts'
import { DownloadFailed } from '../../client/errors.ts'
import { type DownloadSetup, makeParquet, result, setUpDownloads, world } from './set-up-downloads.ts'
import type { Storage } from './storage.ts'

const sizeOfAll = [...result.values()].reduce((sum, { length }) => sum + length, 0)

let setup: DownloadSetup
let storage: Storage
let folder: string
let download: DownloadSetup['download']
beforeEach(async () => {
  setup = await setUpDownloads()
  ;({ storage, folder, download } = setup)
})
afterEach(() => setup[Symbol.asyncDispose]())

const readAll = async () =>
  new Map(
    await Promise.all([...result.keys()].map(async (name) => [name, await readFile(join(folder, name))] as const)),
  )

const bytesSent = () => storage.seen.reduce((sum, { sent }) => sum + sent, 0)

/** Answers the first GET of each file with the first mischief, the second with the second, and further ones in full. */
const misbehaveInTurn = (...mischiefs: readonly ReturnType<Storage['misbehave']>[]) => {
  const gets = new Map<string, number>()
  storage.misbehave = ({ name }) => {
    const before = gets.get(name) ?? 0
    gets.set(name, before + 1)
    return mischiefs[before]
  }
}

describe('a download', () => {
  it('writes each file under its name, and nothing else', async () => {
    const files = await download()
    const verified = 'size'
    expect(files).toEqual(
      [...result].map(([name, { length }]) => ({ path: join(folder, name), bytes: length, verified })),
    )
    expect(await readAll()).toEqual(result)
    expect((await readdir(folder)).sort()).toEqual([...result.keys()])
  })

  it('removes files that killed downloads of the same shards left behind, and nothing else', async () => {
    const [first = ''] = result.keys()
    const leftovers = ['.part.json', '.part.json.e22305de-1da3-4818-b0ae-2ea7db8c2030'].map((end) => `${first}${end}`)
    for (const name of [...leftovers, 'other.parquet.part.json']) await writeFile(join(folder, name), '{}')
    await download()
    expect((await readdir(folder)).sort()).toEqual([...result.keys(), 'other.parquet.part.json'].sort())
  })

  it('sends no Authorization header, since S3 refuses it in addition to a signature', async () => {
    await download()
    expect(storage.seen.map(({ headers }) => headers.authorization)).toEqual(storage.seen.map(() => undefined))
  })

  it('reads at most four files at a time', async () => {
    let [current, most] = [0, 0]
    const four = Promise.withResolvers<void>()
    const counting: typeof fetch = async (...request) => {
      current += 1
      most = Math.max(most, current)
      if (current === 4) four.resolve()
      await four.promise
      const response = await fetch(...request)
      const body = await response.arrayBuffer()
      current -= 1
      return new Response(body, response)
    }
    await downloadFiles(async () => storage.sign(), folder, { ...world, fetch: counting }, {})
    expect(most).toBe(4)
  })

  it('resumes broken connections where they ended, and fetches no byte twice', async () => {
    misbehaveInTurn('cut', 'cut', 'cut')
    await download()
    expect(await readAll()).toEqual(result)
    expect(storage.seen).toHaveLength(20)
    expect(bytesSent()).toBe(sizeOfAll)
  })

  it('refreshes expired URLs, once for all files', async () => {
    misbehaveInTurn('cut')
    const { misbehave } = storage
    storage.misbehave = (get) => {
      if (storage.seen.length === 3) storage.expire()
      return misbehave(get)
    }
    await download()
    expect(await readAll()).toEqual(result)
    expect(setup.countSignings()).toBe(2)
    expect(bytesSent()).toBe(sizeOfAll)
  })

  it('resumes where an earlier download was aborted', async () => {
    const stop = new AbortController()
    const onProgress: DownloadOptions['onProgress'] = ({ bytes }) => {
      if (bytes > 200_000) stop.abort(new Error('stopped'))
    }
    await expect(download({ signal: stop.signal, onProgress })).rejects.toThrow('stopped')
    const parts = (await readdir(folder)).filter((name) => name.endsWith('.part'))
    const earlierParts = await Promise.all(parts.map((name) => readFile(join(folder, name))))
    storage.seen.length = 0
    await download()
    expect(await readAll()).toEqual(result)
    const missingBytes = sizeOfAll - earlierParts.reduce((sum, { length }) => sum + length, 0)
    expect(bytesSent()).toBeLessThanOrEqual(missingBytes)
  })

  it('gives complete files if three downloads write into the same folder at once', async () => {
    misbehaveInTurn('cut', 'cut', 'cut')
    await Promise.all([download(), download(), download({ filesAtOnce: 1 })])
    expect(await readAll()).toEqual(result)
    expect((await readdir(folder)).sort()).toEqual([...result.keys()])
  })

  it('requests no file that is already complete', async () => {
    await download()
    storage.seen.length = 0
    await download()
    expect(storage.seen).toEqual([])
  })

  it('starts again if the file has changed since an earlier download', async () => {
    misbehaveInTurn('cut', 'refuse', 'refuse')
    await expect(download()).rejects.toThrow(DownloadFailed)
    const changed = makeParquet(200_000)
    for (const name of result.keys()) storage.files.set(name, changed)
    storage.misbehave = () => undefined
    await download()
    expect(await readAll()).toEqual(storage.files)
  })

  it('starts again if the storage ignores the range', async () => {
    misbehaveInTurn('cut', 'ignore the range')
    await download()
    expect(await readAll()).toEqual(result)
  })

  it('does not trust bytes whose origin was not recorded', async () => {
    await writeFile(join(folder, 'a.parquet.part'), makeParquet(1000))
    await download()
    expect(await readAll()).toEqual(result)
  })

  it('fetches a file again if its partial file is damaged', async () => {
    misbehaveInTurn('cut', 'refuse', 'refuse')
    await expect(download()).rejects.toThrow(DownloadFailed)
    const [part = ''] = (await readdir(folder)).filter((name) => name.endsWith('.part'))
    const { length } = await readFile(join(folder, part))
    await writeFile(join(folder, part), Buffer.alloc(length))
    storage.misbehave = () => undefined
    await download()
    expect(await readAll()).toEqual(result)
  })

  it('reports bytes and files, up to all of them', async () => {
    const reports: unknown[] = []
    await download({ onProgress: (progress) => reports.push(progress) })
    expect(reports.at(-1)).toEqual({ bytes: sizeOfAll, totalBytes: sizeOfAll, files: 5, totalFiles: 5 })
  })
})

describe('a download whose files have known checksums', () => {
  const crc = (bytes: Buffer) => {
    const value = Buffer.alloc(4)
    value.writeUInt32BE(crc32(bytes))
    return { algorithm: 'CRC32', type: 'FULL_OBJECT', value: value.toString('base64') } as const
  }

  it('keeps files whose checksums match, and reports them as verified by checksum', async () => {
    const checksumOf = (name: string) => ({ checksum: crc(result.get(name) ?? Buffer.alloc(0)) })
    const files = await download({}, checksumOf)
    expect(await readAll()).toEqual(result)
    expect(files.map(({ verified }) => verified)).toEqual(files.map(() => 'checksum'))
    storage.seen.length = 0
    expect(await download({}, checksumOf)).toEqual(files)
    expect(storage.seen).toEqual([])
  })

  it('refuses a file whose checksum is wrong twice, and does not rename it', async () => {
    const downloading = download({}, () => ({ checksum: crc(Buffer.from('something else')) }))
    await expect(downloading).rejects.toThrow(/\.parquet arrived damaged, twice: its CRC32 is wrong$/)
    expect((await readdir(folder)).filter((name) => name.endsWith('.parquet'))).toEqual([])
  })

  it('refuses a file of another size', async () => {
    await expect(download({}, () => ({ bytes: 17 }))).rejects.toThrow(/it has 300008 bytes and not 17$/)
  })
})
