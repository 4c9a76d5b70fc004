import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Checksum, ManifestShard } from '../../client/api.ts'
import { RateSearchClient } from '../../client/rate-search-client.ts'
import { makeParquet } from './set-up-downloads.ts'

const jobId = '2a39443a-064f-4d78-b562-c11683209ccf'
const name = `${jobId}-0001.parquet`
const file = makeParquet(10_000)

function describeCrc32(bytes: Uint8Array): Checksum {
  const value = Buffer.alloc(4)
  value.writeUInt32BE(crc32(bytes))
  return { algorithm: 'CRC32', type: 'FULL_OBJECT', value: value.toString('base64') }
}

const shardOf = (facts: Partial<ManifestShard> = {}): Omit<ManifestShard, 'url'> => ({
  name,
  rows: 1,
  bytes: file.length,
  checksum: describeCrc32(file),
  ...facts,
})

/** A client of a service with one completed search, whose file is served while `isValid` says so of a signing. */
function connect(shard = shardOf(), isValid: (signing: number) => boolean = () => true, deletedAfter = Infinity) {
  const asked: string[] = []
  const signings = () => asked.filter((path) => path.endsWith('/manifest')).length
  const client = new RateSearchClient({
    url: 'https://rates.example',
    key: 'rates_key',
    fetch: async (input) => {
      const url = new URL(String(input))
      asked.push(url.pathname)
      if (url.host === 'storage.example') {
        if (!isValid(Number(url.searchParams.get('signing')))) return new Response(null, { status: 403 })
        return new Response(Uint8Array.from(file), { headers: { ETag: '"a"', 'Content-Length': String(file.length) } })
      }
      if (signings() > deletedAfter) {
        const error = { type: 'not_found', message: 'There is no such search.', request_id: 'r' }
        return Response.json({ error }, { status: 404 })
      }
      const shards = [{ ...shard, url: `https://storage.example/file?signing=${signings()}` }]
      return Response.json({ job_id: jobId, status: 'completed', download_urls: [], shards })
    },
    sleep: async () => {},
  })
  return { client, asked, signings }
}

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'manifest-download-'))
})
afterEach(() => rm(folder, { recursive: true }))

describe('a download of a search', () => {
  it('writes the files of its manifest under their names', async () => {
    const { client, asked } = connect()
    const [downloaded] = await client.download(jobId, folder)
    expect(downloaded).toEqual({ path: join(folder, name), bytes: file.length, verified: 'checksum' })
    expect(Buffer.compare(await readFile(join(folder, name)), file)).toBe(0)
    expect(asked).toEqual([`/v1/searches/${jobId}`, `/v1/searches/${jobId}/manifest`, '/file'])
  })

  it('takes fresh URLs from a new manifest when they have expired', async () => {
    const { client, signings } = connect(shardOf(), (signing) => signing > 1)
    await client.download(jobId, folder)
    expect(signings()).toBe(2)
    expect(await readdir(folder)).toEqual([name])
  })

  it('says that the search is gone if it was deleted after its URLs were signed', async () => {
    const { client } = connect(shardOf(), () => false, 1)
    await expect(client.download(jobId, folder)).rejects.toMatchObject({ type: 'not_found', status: 404 })
    expect(await readdir(folder)).not.toContain(name)
  })

  it('refuses a file without the checksum of the manifest', async () => {
    const { client } = connect(shardOf({ checksum: describeCrc32(Buffer.from('another')) }))
    await expect(client.download(jobId, folder)).rejects.toThrow(`${name} arrived damaged, twice: its CRC32 is wrong`)
    expect(await readdir(folder)).not.toContain(name)
  })

  it('refuses a file without the size of the manifest', async () => {
    const { client } = connect(shardOf({ bytes: file.length + 1 }))
    await expect(client.download(jobId, folder)).rejects.toThrow(
      `it has ${file.length} bytes and not ${file.length + 1}`,
    )
  })

  it.each([
    ['there is none', null],
    ['it is that of parts', { ...describeCrc32(Buffer.from('another')), type: 'COMPOSITE' } as const],
  ])('does without a checksum if %s', async (_, checksum) => {
    const { client } = connect(shardOf({ checksum }))
    expect(await client.download(jobId, folder)).toHaveLength(1)
  })
})
