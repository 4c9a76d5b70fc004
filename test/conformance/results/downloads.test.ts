import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import type { CompletedSearchBody } from '../../../contract/search-api.ts'
import { sendBare } from '../bare-request.ts'
import { completeSearch, readSearch, service } from '../client.ts'
import { absentNpi, findSampleRows, gold, largeSearch, silver, smallSearch } from '../samples.ts'
import { countRows, describeColumns, describeRows, downloadAll, readResult, readSchema } from '../shards.ts'

/** Names and types of a result's columns; all are nullable, as Athena writes them. */
const columns = [
  ...['payer UTF8', 'plan UTF8', 'npi INT_64', 'billing_code_type UTF8', 'billing_code UTF8'],
  ...['negotiated_rate DECIMAL 18 4', 'rate_unit UTF8', 'negotiated_type UTF8', 'negotiation_arrangement UTF8'],
  ...['billing_class UTF8', 'setting UTF8', 'service_code LIST', 'billing_code_modifier LIST'],
  ...['severity_of_illness UTF8', 'additional_information UTF8', 'expiration_date DATE'],
  ...['billing_code_type_version UTF8', 'billing_code_published UTF8', 'name UTF8', 'description UTF8'],
  ...['bundled_codes LIST', 'covered_services LIST', 'tin_type UTF8', 'tin_value UTF8', 'tin_business_name UTF8'],
  ...['network_name LIST', 'provider_group_id UTF8', 'provider_group_npi_count INT_32', 'price_id UTF8'],
  ...[
    'plan_ids LIST',
    'plan_id_count INT_32',
    'reporting_entity_name UTF8',
    'last_updated_on DATE',
    'source_file UTF8',
  ],
  ...['price_key', 'provider_name', 'provider_taxonomy', 'provider_city', 'provider_state', 'provider_zip'].map(
    (name) => `${name} UTF8`,
  ),
  'provider_group_tin_count INT_32',
  'flags LIST',
].map((column) => column.replace(' ', ' OPTIONAL '))

let search: CompletedSearchBody
let files: ArrayBuffer[]
beforeAll(async () => {
  search = await completeSearch(largeSearch)
  files = await downloadAll(search)
})

describe('the shards of a large job', () => {
  it('come in several files', () => {
    expect(search.download_urls.length).toBeGreaterThanOrEqual(service.shards)
  })

  it('come from the storage, not from the API', () => {
    for (const url of search.download_urls) expect(url.startsWith(`${service.baseUrl}/`)).toBe(false)
  })

  it('consist of Parquet files of at most 1 GB', () => {
    for (const file of files) {
      const magic = [file.slice(0, 4), file.slice(-4)].map((bytes) => Buffer.from(bytes).toString())
      expect(magic).toEqual(['PAR1', 'PAR1'])
      expect(file.byteLength).toBeLessThanOrEqual(1_000_000_000)
    }
  })

  it('share one schema', () => {
    const [first, ...otherSchemas] = files.map(readSchema)
    expect(otherSchemas.length).toBe(files.length - 1)
    for (const schema of otherSchemas) expect(schema).toEqual(first)
  })

  it('contain the columns of a result in order', () => {
    const [file] = files
    const fileColumns = file === undefined ? [] : describeColumns(file)
    expect(fileColumns.filter((column) => !/^(list|element) /.test(column))).toEqual(columns)
  })

  it('together contain exactly the rows of the samples', async () => {
    const expected = findSampleRows({ codes: [...largeSearch.billing_codes, '0450'], plans: [gold, silver] })
    expect(expected.length).toBeGreaterThan(3000)
    expect(files.reduce((sum, file) => sum + countRows(file), 0)).toBe(expected.length)
    expect(await readResult(search)).toEqual(describeRows(expected))
  })

  it('differ from each other, and none is empty', () => {
    expect(new Set(search.download_urls.map((url) => new URL(url).pathname)).size).toBe(files.length)
    for (const file of files) expect(countRows(file)).toBeGreaterThan(0)
  })

  it('download under distinct names that end in .parquet', async () => {
    const answers = await Promise.all(search.download_urls.map((url) => sendBare(url)))
    const names = answers.map(({ headers }) => headers['content-disposition'] ?? '')
    for (const name of names) expect(name).toMatch(/^attachment; filename="[\w-]+\.parquet"$/)
    expect(new Set(names).size).toBe(names.length)
  })

  it('stay the same behind fresh URLs when the job is read again', async () => {
    const pathsOf = ({ download_urls }: CompletedSearchBody) => download_urls.map((url) => new URL(url).pathname)
    const deadline = Date.now() + 10_000
    let again = search
    // Signatures have a resolution of one second, so URLs signed within the same second are equal.
    while (again.download_urls[0] === search.download_urls[0] && Date.now() < deadline) {
      await delay(200)
      const answer = await readSearch(search.job_id)
      if (answer.status === 'completed') again = answer
    }
    expect(again.download_urls).not.toContain(search.download_urls[0])
    expect(pathsOf(again)).toEqual(pathsOf(search))
    // Each Lambda environment signs with credentials of its own, so a later answer may expire a little earlier.
    expect(Date.parse(again.expires_at) - Date.now()).toBeGreaterThan(54 * 60_000)
    expect(await downloadAll(again)).toEqual(files)
  })

  it('support range requests', async () => {
    const [url = ''] = search.download_urls
    const file = Buffer.from(files[0] ?? new ArrayBuffer())
    const ranges = [
      ['bytes=0-3', file.subarray(0, 4), `bytes 0-3/${file.length}`],
      ['bytes=100-299', file.subarray(100, 300), `bytes 100-299/${file.length}`],
      ['bytes=-8', file.subarray(-8), `bytes ${file.length - 8}-${file.length - 1}/${file.length}`],
    ] as const
    for (const [Range, bytes, contentRange] of ranges) {
      const { status, headers, body } = await sendBare(url, { headers: { Range } })
      expect([status, headers['content-range']]).toEqual([206, contentRange])
      expect(body.equals(bytes)).toBe(true)
    }
  })

  it('answer 416 to a range beyond their end', async () => {
    const [url = ''] = search.download_urls
    const range = `bytes=${files[0]?.byteLength}-`
    expect((await sendBare(url, { headers: { Range: range } })).status).toBe(416)
  })
})

describe('the URLs of one answer', () => {
  it('expire together at expires_at', () => {
    for (const { searchParams } of search.download_urls.map((url) => new URL(url))) {
      const date = searchParams.get('X-Amz-Date')?.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)$/, '$1-$2-$3:$4:$5')
      const end = Date.parse(date ?? '') + Number(searchParams.get('X-Amz-Expires')) * 1000
      expect(Math.abs(end - Date.parse(search.expires_at))).toBeLessThanOrEqual(1000)
    }
  })
})

describe('a job with one file', () => {
  it('returns an array of one URL', async () => {
    const small = await completeSearch(smallSearch)
    expect(small.download_urls).toEqual([expect.any(String)])
    expect(await readResult(small)).toHaveLength(16)
  })
})

describe('a search that finds nothing', () => {
  it('completes with one file without rows but with the columns of every result', async () => {
    const empty = await completeSearch({ npis: [absentNpi], fee_schedules: [gold] })
    const [file, ...otherFiles] = await downloadAll(empty)
    expect(otherFiles).toEqual([])
    expect(file && countRows(file)).toBe(0)
    expect(file && describeColumns(file)).toEqual(files[0] && describeColumns(files[0]))
  })
})
