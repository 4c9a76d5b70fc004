import { parquetMetadata, parquetSchema } from 'hyparquet'
import { describe, expect, it } from 'vitest'
import { type SummaryWeight, summaryWeights } from '../../../contract/summaries.ts'
import {
  completeSearch,
  estimateSearch,
  listSearches,
  postSearch,
  readCompletedManifest,
  readSearch,
} from '../client.ts'
import { expectRefusal, faultPaths } from '../refusal.ts'
import { choicePlus, gold, largeSearch, openAccess } from '../samples.ts'
import { downloadAll, downloadRows } from '../shards.ts'

type Row = Readonly<Record<string, unknown>>

const terms = [
  ...['payer', 'plan', 'billing_code_type', 'billing_code', 'billing_code_modifier', 'rate_unit', 'negotiated_type'],
  ...['negotiation_arrangement', 'billing_class', 'setting', 'severity_of_illness', 'additional_information'],
  ...['bundled_codes', 'covered_services'],
]

const units: Readonly<Record<SummaryWeight, (row: Row) => unknown>> = {
  tins: (row) => `${row['tin_type']} ${row['tin_value']}`,
  prices: (row) => row['price_id'],
  npis: (row) => row['npi'] || undefined,
}

const doubtful = ['placeholder', 'outlier_high', 'outlier_low']
const isSound = ({ flags }: Row) => !(Array.isArray(flags) && flags.some((flag) => doubtful.includes(flag)))

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [null])

/** Sums up rows by nested loops: terms, place and network, with count, least, middle and greatest amount. */
function sumUp(rows: readonly Row[], weight: SummaryWeight): readonly string[] {
  const groups = new Map<string, Map<string, number>>()
  for (const row of rows)
    for (const place of listOf(row['service_code']))
      for (const network of listOf(row['network_name'])) {
        const key = JSON.stringify([...terms.map((column) => row[column] ?? null), place, network])
        const values = groups.get(key) ?? new Map<string, number>()
        groups.set(key, values)
        const unit = units[weight](row)
        const amount = Number(row['negotiated_rate'])
        if (isSound(row) && unit !== undefined) values.set(`${unit} ${amount}`, amount)
      }
  return [...groups].map(([key, values]) => {
    const amounts = [...values.values()].sort((a, b) => a - b)
    return JSON.stringify([
      key,
      amounts.length,
      amounts[0] ?? null,
      amounts[Math.ceil(amounts.length / 2) - 1] ?? null,
      amounts.at(-1) ?? null,
    ])
  })
}

const describeSummaryRow = (row: Row) =>
  JSON.stringify([
    JSON.stringify([
      ...terms.map((column) => row[column] ?? null),
      row['place_of_service'] ?? null,
      row['network'] ?? null,
    ]),
    Number(row['value_count']),
    ...['minimum', 'median', 'maximum'].map((column) => (row[column] === null ? null : Number(row[column]))),
  ])

const search = { billing_codes: ['73721', '99213'], fee_schedules: [choicePlus, gold, openAccess] }

describe('a summary', () => {
  it.each(summaryWeights)('equals the statistics of the rows of the same search, by weight: %s', async (weight) => {
    const found = await downloadRows(await completeSearch({ ...search, summary: { weight, by: ['network'] } }))
    const expected = sumUp(await downloadRows(await completeSearch(search)), weight)
    expect(expected.length).toBeGreaterThan(5)
    expect(found.map(describeSummaryRow).sort()).toEqual(expected.toSorted())
  })

  it('counts each TIN once for each amount unless it is asked for another weight', async () => {
    const [one = [], other = []] = await Promise.all(
      [{}, { weight: 'tins', by: [] } as const].map(async (summary) =>
        downloadRows(await completeSearch({ ...largeSearch, summary })),
      ),
    )
    expect(one.map(describeSummaryRow).sort()).toEqual(other.map(describeSummaryRow).sort())
    expect(new Set(one.map((row) => row['weight']))).toEqual(new Set(['tins']))
  })

  it('names its weight in every answer', async () => {
    const applied = { weight: 'npis', by: ['npi', 'tin'], count_providers: true }
    const summary = {
      weight: 'npis',
      by: ['tin', 'npi', 'tin'],
      count_providers: true,
      include_doubtful: false,
    } as const
    const { job_id, download_urls } = await completeSearch({ ...search, summary })
    expect(download_urls.length).toBeGreaterThan(0)
    expect((await readSearch(job_id)).summary).toEqual(applied)
    const manifest = await readCompletedManifest(job_id)
    expect(manifest.request.summary).toEqual(applied)
    expect(manifest.columns).toContainEqual({ name: 'value_count', type: 'bigint' })
    const { searches } = await listSearches()
    expect(searches.find((each) => each.job_id === job_id)?.summary).toEqual(applied)
    expect(await estimateSearch({ ...search, summary })).toMatchObject({ summary: applied, warnings: [] })
  })

  it('consists of one file without rows if no price matches', async () => {
    const completed = await completeSearch({ billing_codes: ['0000X'], fee_schedules: [gold], summary: {} })
    const [file, ...others] = await downloadAll(completed)
    expect(others).toEqual([])
    const columns = file && parquetSchema(parquetMetadata(file)).children.map(({ element }) => element.name)
    const manifest = await readCompletedManifest(completed.job_id)
    expect(manifest).toMatchObject({ rows: 0, without_rows: { billing_codes: ['0000X'] } })
    expect(columns).toEqual(manifest.columns?.map(({ name }) => name))
  })

  it('differs from the search for rows under the same idempotency key', async () => {
    const headers = { 'Idempotency-Key': `summary-${Date.now()}` }
    expect((await postSearch(JSON.stringify({ ...search, summary: {} }), { headers })).status).toBe(202)
    const replay = await postSearch(JSON.stringify({ ...search, summary: { weight: 'tins' } }), { headers })
    expect([replay.status, JSON.parse(replay.text).summary]).toEqual([202, { weight: 'tins', by: [] }])
    expectRefusal(await postSearch(JSON.stringify(search), { headers }), [422, 'idempotency_mismatch'])
  })

  it('gets 400 that lists every fault', async () => {
    const faults = async (body: object) =>
      faultPaths(expectRefusal(await postSearch(JSON.stringify(body)), [400, 'invalid_request']))
    const summary = { weight: 'tin', by: ['state', 'city'], include_doubtful: 'yes', count_provider: true }
    expect(await faults({ ...search, summary })).toEqual([
      'summary.by[1]',
      'summary.count_provider',
      'summary.include_doubtful',
      'summary.weight',
    ])
    expect(await faults({ ...search, summary: ['tins'] })).toEqual(['summary'])
  })
})
