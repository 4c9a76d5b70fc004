import { describe, expect, it } from 'vitest'
import { call, failSearch } from '../client.ts'
import { choice, gold } from '../samples.ts'

describe('a search that names fee schedules which cannot be searched', () => {
  it('fails with their names, the nearest ones and where to list them', async () => {
    const misspelt = { payer: gold.payer, plan: 'Harbor PPO Glod' }
    const ofAnotherPayer = { payer: gold.payer, plan: choice.plan }
    const { error } = await failSearch({ billing_codes: ['99213'], fee_schedules: [misspelt, choice, ofAnotherPayer] })
    expect(error).toMatch(/^unsupported_fee_schedule: These 2 fee schedules/)
    expect(error).toContain(
      'payer "Blue Harbor Health" has no plan "Harbor PPO Glod" (did you mean "Harbor PPO Gold"?)',
    )
    expect(error).toContain('GET /v1/fee-schedules?payer=')
  })

  it('answers 200 with status failed and the reason in one sentence, instead of an HTTP error', async () => {
    const { job_id } = await failSearch({ npis: [0], fee_schedules: [{ payer: 'Nobody Health', plan: 'Basic Plan' }] })
    const answer = await call(`/v1/searches/${job_id}`)
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.text)).toMatchObject({ status: 'failed', error: expect.stringMatching(/^\w+: .+\.$/s) })
  })
})
