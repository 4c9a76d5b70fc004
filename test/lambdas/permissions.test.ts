import { describe, expect, it } from 'vitest'
import { operations, type Route } from '../../contract/routes.ts'
import { type Permission, permissionNames } from '../../core/access/permissions.ts'
import { endedAt, storeJob } from '../builders/new-job.ts'
import { newKey } from '../builders/new-key.ts'
import { findBodyFault } from '../conformance/answer-fault.ts'
import { access, jobs, openSearchApi } from './search-api.ts'

const search = { billing_codes: ['99213'], fee_schedules: [{ payer: 'Acme Health', plan: 'Gold PPO' }] }
const headers = { 'Content-Type': 'application/json' }

/** Stores a key with a permission, and a job in each state that calls change. */
async function openWith(permission: Permission) {
  const key = newKey()
  const { orgId, token } = key
  await access.putOrganization({ orgId, name: 'Demo Clinic', active: true })
  await access.putKey({ ...key.stored, permission }, 'assistant', endedAt)
  const stored = { queued: await storeJob(jobs, 'queued', { orgId }), ended: await storeJob(jobs, 'failed', { orgId }) }
  const api = openSearchApi()
  api.clock.now = endedAt
  const call = async (operation: Route['operation'], body: object = search) => {
    const { jobId } = operation === 'cancel-search' ? stored.queued : stored.ended
    return api.callRoute(operation, jobId, { token, body: JSON.stringify(body), headers })
  }
  const listJobs = async () => {
    const { body } = await api.listSearches({ token })
    return body
  }
  return { call, listJobs, stored }
}

/** Refusals for other reasons: a failed search has no rows, and NPPES is not loaded. */
const refusals: Readonly<Record<string, readonly number[]>> = { 'get-rows': [409], 'list-providers': [400] }

describe.each(permissionNames)('with a key for %s', (permission) => {
  it.each(operations)('%s works, or is 403 before anything else is checked', async (operation) => {
    const { call, listJobs, stored } = await openWith(permission)
    const before = await listJobs()
    const answer = await call(operation, operation === 'create-search' ? { ...search, summary: {} } : search)
    const isChanging = ['create-search', 'cancel-search', 'delete-search'].includes(operation)
    if (answer.status === 403) {
      expect(answer.body).toMatchObject({
        error: { type: 'not_permitted', message: expect.stringMatching(/operator/) },
      })
      expect(findBodyFault({ method: 'POST' }, 403, answer.body, answer.requestId)).toBeUndefined()
      expect([isChanging, permission === 'everything']).toEqual([true, false])
      expect(await listJobs()).toEqual(before)
      expect(await jobs.read(stored.queued)).toEqual(stored.queued)
      return
    }
    expect(answer.status).toBeOneOf(refusals[operation] ?? [200, 202, 204])
    // A key for reading leaves every search as it was, whatever the table of routes says.
    if (permission === 'reading') expect(isChanging).toBe(false)
    if (permission === 'summaries') expect(['cancel-search', 'delete-search']).not.toContain(operation)
    if (!isChanging) expect(await listJobs()).toEqual(before)
  })
})

describe('a search for rows', () => {
  it.each([
    ['everything', 202],
    ['summaries', 403],
    ['reading', 403],
  ] as const)('gets the status of the permission: %s, %i', async (permission, status) => {
    const { call, listJobs } = await openWith(permission)
    const before = await listJobs()
    expect((await call('create-search')).status).toBe(status)
    if (status === 403) expect(await listJobs()).toEqual(before)
  })

  it('gets its faults before its refusal, and an estimate with any key', async () => {
    const { call } = await openWith('summaries')
    expect((await call('create-search', { ...search, npis: [1] })).status).toBe(400)
    expect((await call('estimate-search')).status).toBe(200)
  })
})
