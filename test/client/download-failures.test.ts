import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { downloadFiles } from '../../client/downloads/download.ts'
import { canMount, mountSmallDisk, type SmallDisk } from '../kills/disks/small-disk.ts'
import { type DownloadSetup, result, setUpDownloads, world } from './set-up-downloads.ts'
import type { Storage } from './storage.ts'

let setup: DownloadSetup
let storage: Storage
let folder: string
let download: DownloadSetup['download']
beforeEach(async () => {
  setup = await setUpDownloads()
  ;({ storage, folder, download } = setup)
})
afterEach(() => setup[Symbol.asyncDispose]())

describe('a download fails', () => {
  it.each([
    ['denies access to a file that is gone, as S3 does without ListBucket', 'refuse', 403],
    ['says that a file is gone', 'miss', 404],
  ] as const)('if the storage %s, to a fresh URL as well', async (_, mischief, status) => {
    storage.misbehave = () => mischief
    const fault = `.parquet was not downloaded: the storage answered with status ${status}`
    await expect(download({ filesAtOnce: 1 })).rejects.toThrow(fault)
    expect(storage.seen.map((get) => get.status)).toEqual([status, status])
  })

  it('if connections break again and again without a byte', async () => {
    const broken: typeof fetch = () =>
      Promise.reject(new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') }))
    const { sign } = storage
    const failing = downloadFiles(async () => sign(), folder, { ...world, fetch: broken }, { filesAtOnce: 1 })
    await expect(failing).rejects.toThrow('a.parquet was not downloaded: ECONNREFUSED')
  })

  it('if the received file is not Parquet', async () => {
    for (const name of result.keys()) storage.files.set(name, Buffer.from('<html>Sign in to the network</html>'))
    await expect(download()).rejects.toThrow(/arrived damaged, twice: it is not a Parquet file$/)
  })

  it('if the storage does not say how long a file is', async () => {
    storage.misbehave = () => 'say nothing of the length'
    await expect(download()).rejects.toThrow('the storage did not say how long the file is')
  })

  it('immediately if the folder is a file', async () => {
    await writeFile(join(folder, 'taken'), '')
    const { sign } = storage
    const failing = downloadFiles(async () => sign(), join(folder, 'taken'), world, {})
    await expect(failing).rejects.toThrow(/^the folder .*taken cannot be made or written to: .*taken is not a folder$/)
    expect(storage.seen).toEqual([])
  })
})

describe.runIf(canMount)('a download', () => {
  let disk: SmallDisk
  beforeEach(() => {
    disk = mountSmallDisk(1)
  })
  afterEach(() => disk.remove())

  it('keeps what fits on a full disk, and resumes there once there is room', async () => {
    const { folder: small } = disk
    const save = () => downloadFiles(async () => storage.sign(), small, world, { filesAtOnce: 1 })
    await expect(save()).rejects.toThrow(
      /^\w\.parquet was not downloaded: the disk is full; \d+ of 300008 bytes are here/,
    )
    const whole = (await readdir(small)).filter((name) => name.endsWith('.parquet'))
    expect(whole).toEqual(['a.parquet', 'b.parquet', 'c.parquet'])
    for (const name of ['a.parquet', 'b.parquet']) await rm(join(small, name))
    storage.files.delete('a.parquet')
    storage.files.delete('b.parquet')
    storage.seen.length = 0
    await save()
    expect(storage.seen.map(({ name, status }) => `${name} ${status}`)).toEqual(['d.parquet 206', 'e.parquet 200'])
    expect(await readFile(join(small, 'd.parquet'))).toEqual(result.get('d.parquet'))
  })

  it('fails immediately on a read-only disk, naming the folder', async () => {
    const below = join(disk.folder, 'below')
    await mkdir(below)
    disk.forbidWrites(below)
    const failing = downloadFiles(async () => storage.sign(), below, world, { filesAtOnce: 1 })
    await expect(failing).rejects.toThrow(/cannot be made or written to: EROFS/)
    expect(storage.seen).toEqual([])
    disk.allowWrites(below)
  })
})
