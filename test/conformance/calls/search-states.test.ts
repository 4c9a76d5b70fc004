import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import type { CompletedSearchBody, FailedSearchBody, SearchBody } from '../../../contract/search-api.ts'
import { awaitEnd, call, completeSearch, createSearch, failSearch, readSearch } from '../client.ts'
import { expectRefusal, faultPaths } from '../refusal.ts'
import { gold, largeSearch, smallSearch } from '../samples.ts'

const unsupported = { npis: [1000100002], fee_schedules: [{ payer: 'Nobody Health', plan: 'None' }] }

/** Polls a new search every few milliseconds until it ends, and returns every body. */
async function watch(request: typeof smallSearch | typeof unsupported): Promise<readonly SearchBody[]> {
  const created = await createSearch(request)
  const answers: SearchBody[] = [created]
  const deadline = Date.now() + 90_000
  for (let last = created; last.status === 'queued' || last.status === 'processing'; answers.push(last)) {
    if (Date.now() > deadline) throw new Error(`job ${created.job_id} is still ${last.status}`)
    await delay(5)
    last = await readSearch(created.job_id)
  }
  return answers
}

describe.each([
  ['completes', smallSearch, 'completed'],
  ['fails', unsupported, 'failed'],
] as const)('a job that %s', (_, request, end) => {
  let answers: readonly SearchBody[] = []
  beforeAll(async () => {
    answers = await watch(request)
  })

  it('only moves forward: queued, processing, end', () => {
    const order = ['queued', 'processing', end]
    const positions = answers.map(({ status }) => order.indexOf(status))
    expect(positions).not.toContain(-1)
    expect(positions).toEqual(positions.toSorted((a, b) => a - b))
    expect(answers.at(-1)?.status).toBe(end)
  })

  it('keeps its id, status_url and creation time', () => {
    const constantFacts = answers.map(({ job_id, created_at, status_url }) => ({ job_id, created_at, status_url }))
    for (const facts of constantFacts) expect(facts).toEqual(constantFacts[0])
  })

  it('never changes after its end', async () => {
    const last = answers.at(-1)
    for (let poll = 0; poll < 5; poll++) {
      const again = await readSearch(last?.job_id ?? '')
      expect(again).toEqual({
        ...last,
        ...(again.status === 'completed' && { download_urls: again.download_urls, expires_at: again.expires_at }),
      })
    }
  })
})

describe('a status answer', () => {
  let completed: CompletedSearchBody
  let failed: FailedSearchBody
  beforeAll(async () => {
    ;[completed, failed] = await Promise.all([completeSearch(smallSearch), failSearch(unsupported)])
  })

  it('carries Retry-After only until the job has ended', async () => {
    const { job_id } = await createSearch(largeSearch)
    const running = await call(`/v1/searches/${job_id}`)
    const body: SearchBody = JSON.parse(running.text)
    const isRunning = body.status === 'queued' || body.status === 'processing'
    expect(running.headers.get('Retry-After') ?? 'none').toMatch(isRunning ? /^[1-9]\d*$/ : /^none$/)
    await awaitEnd(job_id)
    expect((await call(`/v1/searches/${job_id}`)).headers.get('Retry-After')).toBeNull()
  })

  it('gives a completion time after the creation and not in the future', async () => {
    const answer = await call(`/v1/searches/${completed.job_id}`)
    const serverTime = Date.parse(answer.headers.get('Date') ?? '')
    const [created, ended] = [Date.parse(completed.created_at), Date.parse(completed.completed_at)]
    expect(ended).toBeGreaterThan(created)
    expect(ended).toBeLessThanOrEqual(serverTime + 1000)
  })

  it('expires about an hour after its URLs were signed', async () => {
    const answer = await call(`/v1/searches/${completed.job_id}`)
    const body: CompletedSearchBody = JSON.parse(answer.text)
    const minutes = (Date.parse(body.expires_at) - Date.parse(answer.headers.get('Date') ?? '')) / 60_000
    expect(minutes).toBeGreaterThan(50)
    expect(minutes).toBeLessThan(60.1)
  })

  it('stays the same for a hundred concurrent requests', async () => {
    const bodies = await Promise.all(Array.from({ length: 100 }, () => readSearch(failed.job_id)))
    for (const body of bodies) expect(body).toEqual(failed)
  })

  it('gets refused with parameters that it does not have', async () => {
    const answer = await call(`/v1/searches/${failed.job_id}?v=1&fee=${encodeURIComponent(gold.plan)}`)
    expect(faultPaths(expectRefusal(answer, [400, 'invalid_request']))).toEqual(['fee', 'v'])
  })
})
