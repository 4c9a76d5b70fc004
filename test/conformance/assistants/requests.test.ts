import { describe, expect, it } from 'vitest'
import { service } from '../client.ts'
import { choicePlus } from '../samples.ts'
import { connectByPipes } from './connect.ts'
import { observeRequests } from './observe-requests.ts'

describe('tools', () => {
  it('start, await and read a search with five calls, and one more for each wait that ends early', async () => {
    await using observer = await observeRequests()
    await using assistant = await connectByPipes('2026-07-28', service.keys[0], observer.url)
    const { requests } = observer
    const mri = { fee_schedules: [choicePlus], billing_codes: ['73721'] }
    const { data } = await assistant.call('start_search', mri)
    const job = `/v1/searches/${data['job_id']}`
    const waits = requests.slice(2, -1)
    expect([requests[0], requests[1], requests.at(-1)]).toEqual([
      'POST /v1/estimates',
      'POST /v1/searches',
      `GET ${job}/manifest`,
    ])
    expect(waits[0]).toBe(`GET ${job}?wait=15`)
    for (const wait of waits) expect(wait).toMatch(/\?wait=\d+$/)
    requests.length = 0
    await assistant.call('read_rows', { job_id: data['job_id'] })
    expect(requests).toEqual([`GET ${job}/manifest`])
  })
})
