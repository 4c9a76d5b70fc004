import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { protectiveHeaders } from '../../contract/headers.ts'
import { routes } from '../../contract/routes.ts'
import { endedAt, storeJob } from '../builders/new-job.ts'
import { newKey, storeKey } from '../builders/new-key.ts'
import { access, type Breakage, breakagesByCall, jobs, openSearchApi, refusal } from './search-api.ts'

const withKey = [...new Set(routes.filter(({ auth }) => auth === 'key').map(({ operation }) => operation))]

/** A request with faults everywhere, which shows that the key is checked first. */
const faulty = { body: 'not JSON', query: { limit: 'many' }, headers: { 'Content-Type': 'text/plain' } }

/** A valid request for any call. */
const valid = {
  body: JSON.stringify({ billing_codes: ['99213'], fee_schedules: [{ payer: 'Acme Health', plan: 'Gold PPO' }] }),
  headers: { 'Content-Type': 'application/json' },
}

/** Opens the API with its clock at the end of its jobs. */
function openApi(broken?: Breakage) {
  const api = openSearchApi(broken)
  api.clock.now = endedAt
  return api
}

describe.each(withKey)('%s', (operation) => {
  it('answers the same 401 to every wrong key before it checks anything else, and changes no job', async () => {
    const { token, orgId } = await storeKey(access)
    const [queued, completed] = [
      await storeJob(jobs, 'queued', { orgId }),
      await storeJob(jobs, 'completed', { orgId }),
    ]
    const before = [await jobs.read(queued), await jobs.read(completed)]
    const wrong = [undefined, '', 'nonsense', `${token}x`, token.slice(0, -1), token.toUpperCase(), newKey(orgId).token]
    const ids = [queued.jobId, completed.jobId, randomUUID(), 'not-a-uuid']
    const api = openApi()
    const answers = await Promise.all(
      wrong.flatMap((each) => ids.map((id) => api.callRoute(operation, id, { ...faulty, token: each }))),
    )
    for (const answer of answers) {
      expect([answer.status, answer.body]).toEqual([401, refusal('unauthorized', answer.requestId)])
      expect(answer.headers).toMatchObject({ 'WWW-Authenticate': 'Bearer', 'X-Request-Id': answer.requestId })
    }
    expect(new Set(answers.map(({ text, requestId }) => text.replace(requestId, ''))).size).toBe(1)
    expect([await jobs.read(queued), await jobs.read(completed)]).toEqual(before)
  })

  it('answers 403 to a revoked key and an inactive organization before it checks anything else', async () => {
    const [revoked, inactive] = [await storeKey(access), await storeKey(access)]
    await access.revokeKey(revoked.orgId, revoked.stored.keyId, new Date())
    await access.setActive(inactive.orgId, false)
    for (const { token, orgId } of [revoked, inactive]) {
      const job = await storeJob(jobs, 'completed', { orgId })
      const before = await jobs.read(job)
      for (const id of [job.jobId, randomUUID(), 'not-a-uuid']) {
        const answer = await openApi().callRoute(operation, id, { ...faulty, token })
        expect([answer.status, answer.body]).toEqual([403, refusal('forbidden', answer.requestId)])
      }
      expect(await jobs.read(job)).toEqual(before)
    }
  })
})

const breakages = withKey.flatMap((operation) =>
  [{ accessTable: 'no-such-table' }, ...breakagesByCall[operation]].map((broken) => ({ operation, broken })),
)

describe('an internal error', () => {
  it.each(breakages)('hides its cause behind a 500: $operation with $broken', async (each) => {
    const { token, orgId } = await storeKey(access)
    const { jobId } = await storeJob(jobs, 'completed', { orgId })
    const api = openApi(each.broken)
    const answer = await api.callRoute(each.operation, jobId, { ...valid, token })
    expect([answer.status, answer.body]).toEqual([500, refusal('internal_error', answer.requestId)])
    expect(answer.headers).toMatchObject({ 'X-Request-Id': answer.requestId, 'Content-Type': 'application/json' })
    expect(answer.headers).toMatchObject(protectiveHeaders)
    expect(answer.text).not.toMatch(/table|bucket|role|resource|\bsts\b|s3|dynamo/i)
    expect(api.log.map(({ event }) => event)).toEqual(['request broke', 'answered'])
    const error = {
      error: expect.stringMatching(/^\w+$/),
      cause: expect.any(String),
      stack: expect.stringMatching(/\n +at /),
    }
    expect(api.log[0]).toMatchObject({ event: 'request broke', facts: { request_id: answer.requestId, ...error } })
  })
})
