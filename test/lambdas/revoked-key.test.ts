import { describe, expect, it } from 'vitest'
import { routes } from '../../contract/routes.ts'
import { issueApiKey } from '../../core/access/api-key.ts'
import { storeKey } from '../builders/new-key.ts'
import { access, openSearchApi } from './search-api.ts'

const withKey = routes.filter(({ auth }) => auth === 'key')
const search = JSON.stringify({ billing_codes: ['99213'], fee_schedules: [{ payer: 'Acme Health', plan: 'Gold PPO' }] })

/** An organization with a search it has just created, and every call that it may make. */
async function createJob() {
  const key = await storeKey(access)
  const api = openSearchApi()
  const created = await api.createSearch({ token: key.token, body: search })
  expect(created.status).toBe(202)
  const { job_id } = JSON.parse(created.text)
  const headers = { 'Content-Type': 'application/json' }
  const callEach = async (token: string) => {
    const answers = withKey.map(({ operation }) => api.callRoute(operation, job_id, { token, body: search, headers }))
    return (await Promise.all(answers)).map(({ status }) => status)
  }
  return { ...key, callEach, poll: () => api.getSearch(job_id, { token: key.token }) }
}

describe('a key that has just created a search', () => {
  it('is refused with 403 by the next request of every kind once it has expired', async () => {
    const { orgId, stored, token, callEach } = await createJob()
    await access.expireKey(orgId, stored.keyId, new Date(0))
    expect(await callEach(token)).toEqual(withKey.map(() => 403))
  })

  it('notes the day of its last use', async () => {
    const { presented } = await createJob()
    const { key } = await access.readAccess(presented)
    expect(key?.lastUsedOn).toBe(new Date().toISOString().slice(0, 10))
  })

  it('is never accepted after its revocation, even among concurrent polls', async () => {
    const { orgId, stored, poll } = await createJob()
    let isRevoked = false
    const late: number[] = []
    const client = async () => {
      for (let turn = 0; turn < 20; turn++) {
        const begunLate = isRevoked
        const { status } = await poll()
        if (begunLate) late.push(status)
        else expect([200, 403]).toContain(status)
      }
    }
    const revoke = async () => {
      await poll()
      await access.revokeKey(orgId, stored.keyId, new Date())
      isRevoked = true
    }
    await Promise.all([...Array.from({ length: 5 }, client), revoke()])
    expect(late.length).toBeGreaterThan(0)
    expect(late.filter((status) => status !== 403)).toEqual([])
  })

  it('leaves the other keys of its organization as they are when it is revoked', async () => {
    const { orgId, stored, callEach } = await createJob()
    const other = issueApiKey(orgId)
    await access.putKey(other.stored, 'server', new Date())
    await access.revokeKey(orgId, stored.keyId, new Date())
    expect(await callEach(other.token)).not.toContain(403)
  })
})
