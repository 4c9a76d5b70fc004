import { describe, expect, it } from 'vitest'
import { completeSearch, createSearch, failSearch, readCompletedManifest, readManifest, service } from '../client.ts'
import { absentNpi, choice, gold, largeSearch, silver, smallSearch } from '../samples.ts'
import { countRows, downloadShard } from '../shards.ts'
import { computeChecksum } from './checksums.ts'

describe('the manifest of a completed search', () => {
  it('lists the rows, bytes and checksum of each file', async () => {
    const { job_id } = await completeSearch(largeSearch)
    const { shards, rows, bytes } = await readCompletedManifest(job_id)
    const files = await Promise.all(shards.map(({ url }) => downloadShard(url)))
    expect(files.map((file) => [countRows(file), file.byteLength])).toEqual(
      shards.map((shard) => [shard.rows, shard.bytes]),
    )
    expect([rows, bytes]).toEqual([
      files.reduce((sum, file) => sum + countRows(file), 0),
      files.reduce((sum, file) => sum + file.byteLength, 0),
    ])
    // Only a checksum of the whole file can be computed from it, and other storage than S3 may have none.
    const withChecksum = shards.flatMap(({ checksum }, index) =>
      checksum?.type === 'FULL_OBJECT' ? [{ checksum, file: files[index] ?? new ArrayBuffer() }] : [],
    )
    if (service.isLocal) expect(withChecksum).toHaveLength(shards.length)
    for (const { checksum, file } of withChecksum)
      expect(checksum.value).toBe(computeChecksum(checksum.algorithm, new Uint8Array(file)))
  })

  it('lists the files of the search, under the names that they are downloaded with', async () => {
    const { job_id, download_urls } = await completeSearch(largeSearch)
    const { shards, expires_at } = await readCompletedManifest(job_id)
    const pathOf = (url: string) => new URL(url).pathname
    expect(shards.map(({ url }) => pathOf(url))).toEqual(download_urls.map(pathOf))
    expect(new Set(shards.map(({ name }) => name)).size).toBe(shards.length)
    for (const { name, url } of shards)
      expect(new URL(url).searchParams.get('response-content-disposition')).toBe(`attachment; filename="${name}"`)
    expect(Date.parse(expires_at)).toBeGreaterThan(Date.now())
    const again = await readCompletedManifest(job_id)
    expect(again.shards.map(({ url, ...shard }) => shard)).toEqual(shards.map(({ url, ...shard }) => shard))
  })

  it('shows the request as applied, its times and the attempt that completed it', async () => {
    const spelt = {
      ...smallSearch,
      npis: [...smallSearch.npis, ...smallSearch.npis].reverse(),
      billing_codes: [' 99213 '],
    }
    const search = await completeSearch(spelt)
    const manifest = await readCompletedManifest(search.job_id)
    const { created_at, completed_at } = search
    expect(manifest).toMatchObject({ created_at, completed_at })
    expect(manifest.request).toEqual({
      npis: smallSearch.npis,
      billing_codes: ['99213'],
      fee_schedules: expect.arrayContaining([gold, choice]),
    })
    const { processing_at = '', results_until } = manifest
    expect([created_at, processing_at, completed_at]).toEqual([created_at, processing_at, completed_at].toSorted())
    expect(Date.parse(results_until)).toBeGreaterThan(Date.parse(completed_at))
    expect(manifest.attempts.at(-1)).toMatchObject({ outcome: 'succeeded' })
  })

  it('shows the dates, files and ids of what it read', async () => {
    const { job_id } = await completeSearch(smallSearch)
    const { fee_schedules } = await readCompletedManifest(job_id)
    expect(fee_schedules.map(({ payer, plan }) => ({ payer, plan }))).toEqual(expect.arrayContaining([gold, choice]))
    for (const { loaded_at, last_updated_on, partial, superseded, ...read } of fee_schedules) {
      const { file_count, plan_ids, plan_id_count } = read
      expect([last_updated_on, partial, superseded]).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\d$/), false, false])
      expect(Date.parse(loaded_at ?? '')).toBeLessThan(Date.now())
      expect(file_count).toBeGreaterThan(0)
      expect(plan_ids).toHaveLength(plan_id_count ?? -1)
    }
  })

  it('names the values that were asked for and have no row, and no others', async () => {
    const filters = { npis: [...smallSearch.npis, absentNpi], billing_codes: ['99213', 'A0001'] }
    const { job_id } = await completeSearch({ ...filters, fee_schedules: [gold, choice] })
    expect(await readCompletedManifest(job_id)).toMatchObject({
      without_rows: { npis: [absentNpi], billing_codes: ['A0001'] },
    })
    const { job_id: byTin } = await completeSearch({ tins: ['001242618', '99'], fee_schedules: [silver] })
    expect((await readCompletedManifest(byTin)).without_rows).toEqual({ tins: ['000000099'] })
  })

  it('lists columns and one file without rows if nothing was found', async () => {
    const { job_id } = await completeSearch({ npis: [absentNpi], fee_schedules: [gold] })
    const manifest = await readCompletedManifest(job_id)
    expect(manifest).toMatchObject({ rows: 0, shards: [{ rows: 0 }], without_rows: { npis: [absentNpi] } })
    expect(manifest.columns).toContainEqual({ name: 'negotiated_rate', type: 'decimal(18,4)' })
  })
})

describe('the checksums that this suite computes', () => {
  it.each([
    ['CRC32', 'y/Q5Jg=='],
    ['CRC32C', '4waSgw=='],
    ['CRC64NVME', 'rosUhgp5mIg='],
    ['SHA1', '98O8HYCOBHMq32eZZczDTKeuNEE='],
  ] as const)('equal the published check values for %s', (algorithm, expected) => {
    expect(computeChecksum(algorithm, Buffer.from('123456789'))).toBe(expected)
  })
})

describe('the manifest of a search that has not completed', () => {
  it('shows the error and no files if the search has failed', async () => {
    const search = await failSearch({ ...smallSearch, fee_schedules: [{ payer: 'Nobody', plan: 'None' }] })
    const manifest = await readManifest(search.job_id)
    expect(manifest).toMatchObject({ status: 'failed', error: search.error, attempts: [], fee_schedules: [] })
    expect(manifest).not.toHaveProperty('shards')
  })

  it('can be read as soon as the search is created', async () => {
    const { job_id } = await createSearch(smallSearch)
    expect(await readManifest(job_id)).toMatchObject({ job_id, request: { npis: smallSearch.npis } })
  })
})
