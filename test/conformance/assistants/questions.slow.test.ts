import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { completeSearch } from '../client.ts'
import { choice, choicePlus, gold, openAccess, silver } from '../samples.ts'
import { downloadAll } from '../shards.ts'
import { useAssistant } from './connect.ts'
import { readTable } from './read-table.ts'

/** Questions that are answered by tools alone, each compared with SQL over all rows of the samples' plans. */

const plans = [gold, silver, choice, choicePlus, openAccess]
const codes = ['99213', '73721', '27447']

const { ask } = useAssistant()
let folder: string
let database: DuckDBConnection

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'questions-'))
  database = await (await DuckDBInstance.create()).connect()
  for (const [view, asOf] of [
    ['rates', {}],
    ['earlier_rates', { as_of: '2026-10-31' }],
  ] as const) {
    const feeSchedules = view === 'rates' ? plans : [openAccess]
    const search = await completeSearch({ billing_codes: codes, fee_schedules: feeSchedules, ...asOf })
    for (const [index, shard] of (await downloadAll(search)).entries())
      await writeFile(join(folder, `${view}-${index}.parquet`), new Uint8Array(shard))
    await database.run(`CREATE VIEW ${view} AS FROM read_parquet('${folder}/${view}-*.parquet')`)
  }
})
afterAll(async () => {
  database.closeSync()
  await rm(folder, { recursive: true })
})

/** Returns the only row of a query. */
async function query(sql: string): Promise<readonly unknown[]> {
  const rows = (await database.runAndReadAll(sql)).getRowsJson()
  return (rows[0] ?? []).map((value) => (typeof value === 'string' && /^-?[\d.]+$/.test(value) ? Number(value) : value))
}

const sound = `NOT list_has_any(coalesce(flags, []), ['placeholder', 'outlier_high', 'outlier_low'])`

/** Sound amounts of a plan and code at the office, without a modifier, each once for each TIN. */
const officeAmounts = (plan: string, code: string, relation = 'rates') =>
  `(SELECT DISTINCT tin_type, tin_value, negotiated_rate FROM ${relation} WHERE plan = '${plan}'
    AND billing_code = '${code}' AND rate_unit = 'usd' AND negotiated_type = 'negotiated'
    AND billing_code_modifier IS NULL AND list_contains(service_code, '11') AND ${sound})`

const negotiated = { rate_unit: 'usd', negotiated_type: 'negotiated' }

/** Summarises codes of plans, and returns the group of a plan and code at the office, without a modifier. */
async function summariseOffice(plan: { payer: string; plan: string }, code: string, more = {}) {
  const data = await ask('summarise_rates', { fee_schedules: [plan], billing_codes: [code], ...more })
  const group = readTable(data).find(
    (row) =>
      Object.entries(negotiated).every(([column, value]) => row[column] === value) &&
      /\b11\b/.test(String(row['place_of_service'])) &&
      (row['billing_code_modifier'] ?? null) === null,
  )
  return { data, group }
}

describe('the tools answer, as SQL does,', () => {
  it('1. which plans the employer with the EIN 00-1234567 has', async () => {
    const data = await ask('find_plans', { plan_id: '00-1234567' })
    const employerPlans = v.parse(v.array(v.object({ payer: v.string(), plan: v.string() })), data['plans'])
    const [names] = await query(
      `SELECT list_sort(list(DISTINCT plan)) FROM rates WHERE list_contains(plan_ids, 'ein|001234567')`,
    )
    expect(employerPlans.map(({ plan }) => plan).sort()).toEqual(names)
  })

  it('2. what an MRI of the knee costs in an office', async () => {
    const { group } = await summariseOffice(choicePlus, '73721')
    const [median] = await query(
      `SELECT quantile_disc(negotiated_rate, 0.5) FROM ${officeAmounts(choicePlus.plan, '73721')}`,
    )
    expect(group?.['median']).toBe(median)
  })

  it('3. between which amounts the middle half of them is, and of how many', async () => {
    const { group } = await summariseOffice(choicePlus, '73721')
    const quartiles = await query(
      `SELECT quantile_disc(negotiated_rate, 0.25), quantile_disc(negotiated_rate, 0.75), count(*)
       FROM ${officeAmounts(choicePlus.plan, '73721')}`,
    )
    expect([group?.['p25'], group?.['p75'], group?.['value_count']]).toEqual(quartiles)
  })

  it('4. what the most expensive visit costs', async () => {
    const { group } = await summariseOffice(choicePlus, '99213')
    expect([group?.['maximum']]).toEqual(
      await query(`SELECT max(negotiated_rate) FROM ${officeAmounts(choicePlus.plan, '99213')}`),
    )
  })

  it('5. by how much two plans of an employer differ', async () => {
    const fee_schedules = [choicePlus, openAccess]
    const { job_id: first } = await ask('summarise_rates', { fee_schedules, billing_codes: ['99213'] })
    const pairs = readTable(await ask('compare_summaries', { first }))
    const inOffice = { ...negotiated, place_of_service: '11' }
    const pair = pairs.find((row) => Object.entries(inOffice).every(([column, value]) => row[column] === value))
    const medians = await query(
      `SELECT (SELECT quantile_disc(negotiated_rate, 0.5) FROM ${officeAmounts(choicePlus.plan, '99213')}),
        (SELECT quantile_disc(negotiated_rate, 0.5) FROM ${officeAmounts(openAccess.plan, '99213')})`,
    )
    expect([pair?.['first_median'], pair?.['second_median']]).toEqual(medians)
  })

  it('6. what the visit cost a month ago', async () => {
    const { group } = await summariseOffice(openAccess, '99213', { as_of: '2026-10-31' })
    const amounts = officeAmounts(openAccess.plan, '99213', 'earlier_rates')
    expect([group?.['median']]).toEqual(await query(`SELECT quantile_disc(negotiated_rate, 0.5) FROM ${amounts}`))
  })

  it('7. which contracts are a percentage of charges', async () => {
    const { data } = await summariseOffice(choicePlus, '73721')
    const percentages = readTable(data).filter((row) => row['rate_unit'] === 'percent_of_charges')
    expect(percentages.map((row) => [row['median'], row['value_count']])).toEqual([
      await query(
        `SELECT quantile_disc(negotiated_rate, 0.5), count(*) FROM (SELECT DISTINCT tin_value, negotiated_rate
         FROM rates WHERE plan = '${choicePlus.plan}' AND billing_code = '73721'
         AND rate_unit = 'percent_of_charges' AND ${sound})`,
      ),
    ])
  })

  it('8. which prices a provider has', async () => {
    const npi = 1000114938
    const args = { fee_schedules: [choicePlus], billing_codes: ['73721'], npis: [npi] }
    const { job_id } = await ask('start_search', args)
    const rows = readTable(await ask('read_rows', { job_id, npi, limit: 50 }))
    const amounts = rows.map((row) => Number(row['negotiated_rate']))
    const [count, sum] = await query(
      `SELECT count(*), sum(negotiated_rate) FROM (SELECT DISTINCT price_id, negotiated_rate FROM rates
       WHERE npi = ${npi} AND billing_code = '73721' AND plan = '${choicePlus.plan}')`,
    )
    expect([amounts.length, Math.round(amounts.reduce((total, amount) => total + amount, 0) * 100) / 100]).toEqual([
      count,
      sum,
    ])
  })

  it('9. from which file and month a price is, and what it holds for', async () => {
    const { job_id } = await ask('start_search', { fee_schedules: [gold], billing_codes: ['27447'] })
    const [row] = readTable(await ask('read_rows', { job_id, limit: 2 }))
    const data = await ask('read_rows', { job_id, price_id: row?.['price_id'] })
    const [file, day, unit, rate] = await query(
      `SELECT source_file, strftime(last_updated_on, '%Y-%m-%d'), rate_unit, negotiated_rate FROM rates
       WHERE price_id = '${row?.['price_id']}' AND plan = '${gold.plan}' LIMIT 1`,
    )
    expect(data).toMatchObject({
      published_in: { file, last_updated_on: day },
      price: { rate_unit: unit, negotiated_rate: rate },
    })
  })

  it('10. how many prices of a code a plan has, and for which codes it has none', async () => {
    const data = await ask('start_search', { fee_schedules: [silver], billing_codes: ['99213', 'J9999'] })
    const [rows] = await query(`SELECT count(*) FROM rates WHERE plan = '${silver.plan}' AND billing_code = '99213'`)
    expect(data).toMatchObject({ rows, nothing_found_for: { billing_codes: ['J9999'] } })
  })

  it('11. whether the amount of the practice or of the hospital is meant, with the median of each', async () => {
    const { data } = await summariseOffice(choicePlus, '73721')
    const [question] = v.parse(v.array(v.object({ about: v.string(), choices: v.array(v.unknown()) })), data['needs'])
    const institutional = `SELECT DISTINCT tin_type, tin_value, negotiated_rate FROM rates
      WHERE plan = '${choicePlus.plan}' AND billing_code = '73721' AND billing_class = 'institutional'
      AND rate_unit = 'usd' AND negotiated_type = 'negotiated' AND ${sound}`
    const statistics = 'quantile_disc(negotiated_rate, 0.5), count(*)'
    const office = await query(`SELECT ${statistics} FROM ${officeAmounts(choicePlus.plan, '73721')}`)
    const hospital = await query(`SELECT ${statistics} FROM (${institutional})`)
    expect(question).toMatchObject({
      about: 'billing_class',
      choices: [
        { billing_class: 'professional', median: office[0], value_count: office[1] },
        { billing_class: 'institutional', median: hospital[0], value_count: hospital[1] },
      ],
    })
  })
})
