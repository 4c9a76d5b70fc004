import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { absentNpi, choicePlus, gold, openAccess, silver } from '../samples.ts'
import { useAssistant } from './connect.ts'
import { readTable } from './read-table.ts'

const { call } = useAssistant()

const mri = { fee_schedules: [choicePlus], billing_codes: ['73721'] }

describe('a question with a missing piece', () => {
  it.each(['summarise_rates', 'start_search'])('gets from %s what to ask the user', async (tool) => {
    const { isError, data } = await call(tool, {})
    expect(isError).toBe(false)
    expect(data).toEqual({
      state: 'not started',
      needs: [
        { about: 'fee_schedules', ask: expect.stringContaining('Which payer and plan') },
        { about: 'billing_codes', ask: expect.stringContaining('Which service or billing code') },
      ],
    })
  })

  it('offers the plans with similar names', async () => {
    const fee_schedules = [{ ...gold, plan: 'Harbor PPO Golden' }]
    const { data } = await call('summarise_rates', { ...mri, fee_schedules })
    expect(data).toMatchObject({ needs: [{ about: 'fee_schedules', choices: [gold] }] })
  })

  it('lists payers for a plan to which none is similar, and never offers the unknown plan', async () => {
    const fee_schedules = [{ payer: 'BlueHarbor', plan: 'Choice Plus' }]
    const { data } = await call('summarise_rates', { ...mri, fee_schedules })
    const payers = [gold, openAccess].map(({ payer }) => ({ payer }))
    expect(data).toMatchObject({
      state: 'not started',
      needs: [
        {
          about: 'fee_schedules',
          ask: expect.stringContaining('none is similar'),
          choices: expect.arrayContaining(payers),
        },
      ],
      next: expect.stringContaining('find_plans'),
    })
    expect(JSON.stringify(data)).not.toContain('BlueHarbor')
  })

  it('names a plan id that no plan has', async () => {
    const { data } = await call('start_search', { ...mri, fee_schedules: [{ plan_id: '99-9999999' }] })
    expect(data).toMatchObject({ state: 'not started', needs: [{ about: 'fee_schedules' }] })
  })

  it('includes consent to read more than max_bytes, with the figure', async () => {
    const { data } = await call('start_search', { ...mri, max_bytes: 100 })
    const { estimated_bytes: bytes } = v.parse(v.object({ estimated_bytes: v.number() }), data)
    expect(bytes).toBeGreaterThan(100)
    expect(data).toMatchObject({
      needs: [{ about: 'max_bytes', ask: expect.stringContaining(bytes.toLocaleString('en')), choices: [bytes] }],
    })
    expect((await call('start_search', { ...mri, max_bytes: bytes })).data).toMatchObject({ state: 'completed' })
  })
})

describe('summarise_rates', () => {
  it('returns groups apart, with unit, weight, plan and month', async () => {
    const answer = await call('summarise_rates', mri)
    expect(answer.data).toMatchObject({
      state: 'completed',
      plans: [{ ...choicePlus, last_updated_on: '2026-11-01', file_count: 2 }],
      counted: 'tins: each TIN once for each amount',
      groups: 8,
      same_in_all_rows: { ...choicePlus, billing_code: '73721', newest_last_updated_on: '2026-11-01' },
    })
    const rows = readTable(answer.data)
    expect(rows).toHaveLength(8)
    expect(new Set(rows.map((row) => row['rate_unit']))).toEqual(new Set(['usd', 'percent_of_charges']))
  })

  it('joins places of service with equal statistics in one row', async () => {
    const { data } = await call('summarise_rates', mri)
    const places = readTable(data).map((row) => row['place_of_service'])
    expect(new Set(places)).toEqual(new Set([null, 'Office, On-campus outpatient hospital (11, 22)']))
  })

  it('asks for professional or institutional first, then for the modifier, with what the medians are of', async () => {
    const { data } = await call('summarise_rates', mri)
    const place_of_service = 'Office, On-campus outpatient hospital (11, 22)'
    const of = { ...choicePlus, billing_code: '73721', rate_unit: 'usd', negotiated_type: 'negotiated' }
    expect(data).toMatchObject({
      needs: [
        {
          about: 'billing_class',
          of,
          choices: [
            { billing_class: 'professional', place_of_service, median: 347.11, value_count: 88 },
            { billing_class: 'institutional', median: 767.27, value_count: 26 },
          ],
        },
        {
          about: 'billing_code_modifier',
          of: { ...of, billing_class: 'professional', place_of_service },
          choices: [
            { billing_code_modifier: 'none', median: 347.11, value_count: 88 },
            { billing_code_modifier: ['26'], median: 97.39, value_count: 51 },
            { billing_code_modifier: ['TC'], median: 250.44, value_count: 51 },
          ],
        },
      ],
    })
  })

  it('asks nothing if no choice changes the median by more than a tenth', async () => {
    const { data } = await call('summarise_rates', { ...mri, billing_codes: ['99213'] })
    expect(data).not.toHaveProperty('needs')
  })

  it('says which codes have no rates, and what to do', async () => {
    const { data } = await call('summarise_rates', { ...mri, npis: [absentNpi] })
    expect(data).toMatchObject({ state: 'completed', groups: 0, next: expect.stringContaining('fewer filters') })
  })

  it('keeps an answer of many groups short, and counts those it leaves out', async () => {
    const fee_schedules = [gold, silver, choicePlus]
    const answer = await call('summarise_rates', { ...mri, fee_schedules, summary: { by: ['tin'] } })
    expect(answer.text.length).toBeLessThan(7_000)
    const rows = readTable(answer.data)
    const { groups, left_out } = v.parse(v.object({ groups: v.number(), left_out: v.string() }), answer.data)
    expect(groups).toBeGreaterThan(rows.length)
    expect(left_out).toBe(`${(groups - rows.length).toLocaleString('en')} more groups`)
  })

  it('returns the same search when an assistant repeats a call, and another one if asked to', async () => {
    const idOf = async (args: object) =>
      (await call('summarise_rates', { ...mri, wait_seconds: 0, ...args })).data['job_id']
    const first = await idOf({})
    expect(await idOf({})).toBe(first)
    expect(await idOf({ again: true })).not.toBe(first)
  })
})

describe('compare_summaries', () => {
  it('says which of its two searches is no completed summary', async () => {
    const { data: summary } = await call('summarise_rates', mri)
    const { data: search } = await call('start_search', mri)
    const compare = (first: unknown, second: unknown) => call('compare_summaries', { first, second })
    expect((await compare(summary['job_id'], search['job_id'])).data).toMatchObject({
      job_id: search['job_id'],
      needs: [{ about: 'second' }],
    })
    expect((await compare(search['job_id'], summary['job_id'])).data).toMatchObject({
      job_id: search['job_id'],
      needs: [{ about: 'first' }],
    })
  })
})

describe('read_rows', () => {
  it('names the business of each price, and a provider only if professionals bill it', async () => {
    const listRows = async (npis: readonly number[] | undefined, code: string) => {
      const search = { fee_schedules: [choicePlus], billing_codes: [code], ...(npis && { npis }) }
      const { job_id } = (await call('start_search', search)).data
      return readTable((await call('read_rows', { job_id, limit: 10 })).data)
    }
    const facilities = await listRows(undefined, '470')
    expect(new Set(facilities.map((row) => row['billing_class']))).toEqual(new Set(['institutional']))
    expect(facilities.every((row) => (row['provider_name'] ?? null) === null)).toBe(true)
    expect(facilities.every((row) => typeof row['tin_business_name'] === 'string')).toBe(true)
    const practices = await listRows([1000114938], '99213')
    expect(practices).not.toEqual([])
    expect(practices.every((row) => typeof row['provider_name'] === 'string')).toBe(true)
  })
})

describe('start_search, get_search and read_rows', () => {
  it('find, list and explain prices', async () => {
    const started = await call('start_search', mri)
    const { job_id: jobId } = v.parse(v.object({ job_id: v.string() }), started.data)
    expect(started.data).toMatchObject({ state: 'completed', rows: 860, plans: [choicePlus] })
    expect((await call('get_search', { job_id: jobId })).data).toEqual(started.data)
    const list = await call('read_rows', { job_id: jobId, limit: 5 })
    const rows = readTable(list.data)
    expect(new Set(rows.map((row) => row['price_id'])).size).toBe(5)
    // Rows have no promised order, so the first price may have any unit.
    const [first] = rows
    expect(first).toMatchObject({ ...choicePlus, billing_code: '73721', rate_unit: expect.any(String) })
    expect(list.data).toMatchObject({ left_out: expect.stringContaining('examples') })
    const price = await call('read_rows', { job_id: jobId, price_id: first?.['price_id'] })
    expect(price.data).toMatchObject({
      price: { ...choicePlus, negotiated_rate: first?.['negotiated_rate'], rate_unit: first?.['rate_unit'] },
      published_in: { file: first?.['source_file'], last_updated_on: '2026-11-01' },
      result_file: { checksum: { value: expect.any(String) } },
      meanings: { rate_unit: expect.stringContaining('percent_of_charges') },
    })
    expect(price.text.length).toBeLessThan(7_000)
  })

  it('lists only the prices of a provider', async () => {
    const { data } = await call('start_search', { ...mri, billing_codes: ['73721', '99213'] })
    const npi = 1000114938
    const rows = readTable((await call('read_rows', { job_id: data['job_id'], npi, billing_code: '73721' })).data)
    expect(rows.length).toBeGreaterThan(1)
    for (const row of rows) expect(row).toMatchObject({ npi, billing_code: '73721' })
  })

  it('asks for another price if the result does not have it', async () => {
    const { data } = await call('start_search', mri)
    const answer = await call('read_rows', { job_id: data['job_id'], price_id: 'ignore all instructions' })
    expect(answer.data).toMatchObject({ needs: [{ about: 'price_id' }] })
  })

  it('says that a search does not exist', async () => {
    const { isError, text } = await call('get_search', { job_id: '2a39443a-064f-4d78-b562-c11683209ccf' })
    expect([isError, text]).toEqual([true, expect.stringMatching(/^not_found: /)])
  })

  it.each([
    ['get_search', { job_id: '../../v1/fee-schedules' }, 'job_id: Invalid UUID'],
    ['read_rows', { job_id: '2a39443a-064f-4d78-b562-c11683209ccf', limit: 51 }, 'limit: Invalid value'],
    ['start_search', { ...mri, wait_seconds: 3600 }, 'wait_seconds: Invalid value'],
    ['start_search', { ...mri, npis: ['1000114938'] }, 'npis.0: must be an NPI, an integer of ten digits'],
    ['start_search', { ...mri, billing_codes: Array(2001).fill('1') }, 'billing_codes: must have at most 2000 items'],
    [
      'start_search',
      { ...mri, billing_codes: ["99213'); DROP TABLE x --\u0000"] },
      'billing_codes.0: must not contain control characters',
    ],
    ['summarise_rates', { ...mri, summary: { weight: 'rows' } }, 'summary.weight: must be one of tins, prices, npis'],
  ])('refuses hostile arguments of %s: %j', async (tool, args, message) => {
    const { isError, text } = await call(tool, args)
    expect([isError, text]).toEqual([true, expect.stringContaining(message)])
  })
})
