import { describe, expect, it } from 'vitest'
import { call, failSearch } from '../client.ts'
import { choice, gold } from '../samples.ts'

const search = (...fee_schedules: { payer: string; plan: string }[]) =>
  failSearch({ billing_codes: ['99213'], fee_schedules })

describe('a search fails', () => {
  it('for an unsupported payer, which the error names', async () => {
    const { error } = await search({ payer: 'Nobody Health', plan: 'Basic Plan' })
    expect(error).toMatch(/^unsupported_fee_schedule: .*"Nobody Health".*"Basic Plan"/)
  })

  it('for an unsupported plan of a supported payer, naming both', async () => {
    const { error } = await search({ payer: gold.payer, plan: 'Harbor PPO Platinum' })
    expect(error).toMatch(/^unsupported_fee_schedule: .*"Blue Harbor Health".*"Harbor PPO Platinum"/)
  })

  it("for one payer's plan under the other payer", async () => {
    const { error } = await search({ payer: gold.payer, plan: choice.plan })
    expect(error).toMatch(/^unsupported_fee_schedule: /)
  })

  it('when only some of its fee schedules are supported, naming those that are not', async () => {
    const { error } = await search(gold, { payer: 'Nobody Health', plan: 'Basic Plan' }, choice)
    expect(error).toContain('"Nobody Health"')
    expect(error).not.toContain(`"${gold.plan}"`)
    expect(error).not.toContain(`"${choice.plan}"`)
  })

  it('naming every missing fee schedule if there are at most ten', async () => {
    const missing = Array.from({ length: 9 }, (_, index) => ({ payer: `Payer ${index}`, plan: `Plan ${index}` }))
    const { error } = await search(...missing, { payer: choice.payer, plan: 'Ridge Nothing' }, gold)
    for (const { payer, plan } of missing) expect(error).toMatch(new RegExp(`"${payer}".*"${plan}"`))
    expect(error).toContain('"Ridge Nothing"')
  })

  it('naming ten of two hundred missing ones, with names of maximum length', async () => {
    const nameOf = (index: number) => String(index).padStart(200, 'ж')
    const missing = Array.from({ length: 200 }, (_, index) => ({ payer: nameOf(index), plan: nameOf(index + 200) }))
    const { error } = await search(...missing)
    expect(error).toMatch(/^unsupported_fee_schedule: .* and 190 more\. /)
    expect(Buffer.byteLength(error)).toBeLessThan(20_000)
  })

  it('for a part of a plan name, suggesting the plans and where to list them', async () => {
    const { error } = await search({ payer: gold.payer, plan: 'Harbor PPO' })
    expect(error).toContain('"Harbor PPO Gold"')
    expect(error).toContain(`GET /v1/fee-schedules?payer=${encodeURIComponent(gold.payer)}.`)
  })

  it('for a misspelt name, suggesting the nearest one', async () => {
    const { error } = await search({ payer: gold.payer, plan: 'Harbor PPO Glod' })
    expect(error).toContain('"Harbor PPO Gold"')
  })

  it('for a name in another case, because names are case-sensitive', async () => {
    const { error } = await search({ payer: gold.payer.toUpperCase(), plan: gold.plan })
    expect(error).toMatch(/^unsupported_fee_schedule: .*"BLUE HARBOR HEALTH"/)
  })
})

describe('a failed search', () => {
  it('is not an HTTP error but a 200 with status failed and the reason in one sentence', async () => {
    const { job_id } = await search({ payer: 'Nobody Health', plan: 'Basic Plan' })
    const answer = await call(`/v1/searches/${job_id}`)
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.text)).toMatchObject({ status: 'failed', error: expect.stringMatching(/^\w+: .+\.$/s) })
  })

  it('is not run again: the same request makes a new job', async () => {
    const failures = [await search({ payer: 'Nobody', plan: 'None' }), await search({ payer: 'Nobody', plan: 'None' })]
    expect(new Set(failures.map(({ job_id }) => job_id)).size).toBe(2)
    expect(failures[0]?.error).toBe(failures[1]?.error)
  })
})
