import { describe, expect, it } from 'vitest'
import { routes } from '../../contract/routes.ts'
import { issueApiKey } from '../../core/access/api-key.ts'
import type { Log } from '../../core/log.ts'
import { handleHttp } from '../../lambdas/http/handle-http.ts'
import { storeJob } from '../builders/new-job.ts'
import { storeKey } from '../builders/new-key.ts'
import { send } from '../builders/proxy-event.ts'
import { access, jobs, openSearchApi } from './search-api.ts'

const brokenQueries = { stop: () => Promise.reject(new Error('not stopped')) }

describe('the log of a request', () => {
  it('never contains a path segment that is not a job id, such as an API key', async () => {
    const { token, orgId, keyId } = await storeKey(access)
    const api = openSearchApi()
    const { requestId } = await api.getSearch(token, { token })
    await api.cancelSearch(token, { token })
    await api.deleteSearch(token)
    await api.notFound({ path: `/v1/${token}` })
    const accepted = { org_id: orgId, key_id: keyId }
    const facts = { request_id: requestId, ...accepted, status: 404, address: '192.0.2.1' }
    expect(api.log[0]).toEqual({ event: 'answered', facts })
    const factsWithKey = ['request_id', 'org_id', 'key_id', 'status', 'address']
    const factsWithoutKey = ['request_id', 'status', 'address']
    const expected = [factsWithKey, factsWithKey, factsWithoutKey, factsWithoutKey]
    expect(api.log.map(({ facts }) => Object.keys(facts))).toEqual(expected)
  })

  it('omits the organization and the key unless the key is accepted, because anybody can write an id', async () => {
    const { token, orgId, keyId } = await storeKey(access)
    const api = openSearchApi()
    const forged = issueApiKey(orgId).token
    expect((await api.listSearches({ token: forged })).status).toBe(401)
    await access.revokeKey(orgId, keyId, new Date())
    expect((await api.listSearches({ token })).status).toBe(403)
    expect(JSON.stringify(api.log)).not.toContain(orgId)
  })

  it.each(routes.filter(({ auth }) => auth === 'key'))(
    'contains the organization and the key in every line of $operation, and nothing of the secret',
    async ({ operation }) => {
      const { token, orgId, keyId } = await storeKey(access)
      const { jobId } = await storeJob(jobs, 'completed', { orgId })
      const api = openSearchApi({ signingRoleArn: 'no-role', stateMachineArn: 'no-machine', queries: brokenQueries })
      await api.callRoute(operation, jobId, { token, headers: { 'Content-Type': 'application/json' } })
      expect(api.log.length).toBeGreaterThan(0)
      for (const { facts } of api.log) expect(facts).toMatchObject({ org_id: orgId, key_id: keyId })
      expect(JSON.stringify(api.log)).not.toContain(token.slice(-36, -6))
    },
  )

  it('keeps concurrent requests apart', async () => {
    const [first, second] = [await storeKey(access), await storeKey(access)]
    const api = openSearchApi()
    const answers = await Promise.all([first, second, first].map(({ token }) => api.listSearches({ token })))
    const lines = answers.map(({ requestId }) => api.log.find(({ facts }) => facts['request_id'] === requestId)?.facts)
    expect(lines.map((facts) => facts?.['org_id'])).toEqual([first.orgId, second.orgId, first.orgId])
  })

  it('hides a thrown value that is no error, because it may be anything', async () => {
    const lines: unknown[] = []
    const log: Log = (event, facts) => void lines.push({ event, ...facts })
    const handler = handleHttp({ log }, () => Promise.reject('a secret'))
    const { status, requestId } = await send(handler, {})
    expect(status).toBe(500)
    expect(lines).toEqual([
      { event: 'request broke', request_id: requestId, error: 'not an error' },
      { event: 'answered', request_id: requestId, status: 500, address: '192.0.2.1' },
    ])
  })
})
