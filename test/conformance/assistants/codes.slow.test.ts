import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { choicePlus, openAccess } from '../samples.ts'
import { useAssistant } from './connect.ts'
import { readTable } from './read-table.ts'

const { ask } = useAssistant()

describe('find_codes', () => {
  it('finds a code by words of its name, and by its beginning', async () => {
    for (const q of ['mri leg', '73721'])
      expect(JSON.stringify(await ask('find_codes', { q, billing_code_type: 'CPT' }))).toContain('73721')
  })

  it('asks for the service if none is named or none is found', async () => {
    expect(await ask('find_codes', {})).toMatchObject({ needs: [{ about: 'q' }] })
    expect(await ask('find_codes', { q: 'zzzz' })).toMatchObject({ codes: [], needs: [{ about: 'q' }] })
  })
})

const refusal = v.object({ state: v.string(), needs: v.tuple([v.object({ about: v.string(), ask: v.string() })]) })

describe('compare_summaries', () => {
  const summarise = async (args: Readonly<Record<string, unknown>>) => {
    const data = await ask('summarise_rates', { billing_codes: ['73721', '99213'], ...args })
    return v.parse(v.object({ job_id: v.string(), state: v.literal('completed') }), data).job_id
  }
  it('compares two days of a plan, the largest difference first', async () => {
    const before = await summarise({ fee_schedules: [openAccess], as_of: '2026-10-31' })
    const now = await summarise({ fee_schedules: [openAccess] })
    const data = await ask('compare_summaries', { first: before, second: now })
    expect(data).toMatchObject({ state: 'compared', first: { as_of: '2026-10-31' }, counted: 'tins' })
    const percents = readTable(data).map((pair) => Math.abs(Number(pair['percent'])))
    expect(percents.length).toBeGreaterThan(1)
    expect(percents.some((percent) => percent > 0)).toBe(true)
    expect(percents).toEqual(percents.toSorted((one, other) => other - one))
  })

  it('compares the two plans of one summary as it compares two summaries', async () => {
    const both = await summarise({ fee_schedules: [choicePlus, openAccess] })
    const [first, second] = await Promise.all(
      [choicePlus, openAccess].map((plan) => summarise({ fee_schedules: [plan] })),
    )
    const apart = await ask('compare_summaries', { first, second })
    expect(readTable(apart).length).toBeGreaterThan(0)
    expect(readTable(await ask('compare_summaries', { first: both }))).toEqual(readTable(apart))
  })

  it('compares only summaries of one weight', async () => {
    const first = await summarise({ fee_schedules: [choicePlus] })
    const second = await summarise({ fee_schedules: [openAccess], summary: { weight: 'prices' } })
    expect(await ask('compare_summaries', { first, second })).toMatchObject({ needs: [{ about: 'second' }] })
  })

  it('asks for fewer codes if a summary has more groups than it reads', async () => {
    const args = { fee_schedules: [choicePlus, openAccess], summary: { by: ['npi', 'tin', 'network'] } }
    const first = await summarise(args)
    const { state, needs } = v.parse(refusal, await ask('compare_summaries', { first }))
    expect([state, needs[0].about]).toEqual(['not compared', 'first'])
    expect(needs[0].ask).toMatch(/ has [\d,]{5,} groups, too many to compare/)
  })

  it('asks for summaries if there are none', async () => {
    expect(await ask('compare_summaries', {})).toMatchObject({ needs: [{ about: 'first' }] })
    const rows = await ask('start_search', { fee_schedules: [choicePlus], billing_codes: ['73721'] })
    expect(await ask('compare_summaries', { first: rows['job_id'] })).toMatchObject({ needs: [{ about: 'first' }] })
    const first = await summarise({ fee_schedules: [choicePlus] })
    expect(await ask('compare_summaries', { first })).toMatchObject({ needs: [{ about: 'second' }] })
  })
})
