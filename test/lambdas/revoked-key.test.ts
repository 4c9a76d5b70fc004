import { describe, expect, it } from 'vitest'
import { issueApiKey } from '../../core/access/api-key.ts'
import { storeKey } from '../builders/new-key.ts'
import { access, openSearchApi } from './search-api.ts'

const search = JSON.stringify({ billing_codes: ['99213'], fee_schedules: [{ payer: 'Acme Health', plan: 'Gold PPO' }] })

/** An organization with a search it has just created, and every call that it may make. */
async function createJob() {
  const key = await storeKey(access)
  const api = openSearchApi()
  const created = await api.createSearch({ token: key.token, body: search })
  expect(created.status).toBe(202)
  const { job_id } = JSON.parse(created.text)
  const callAll = async (token: string) => {
    const answers = await Promise.all([
      api.createSearch({ token, body: search }),
      api.getSearch(job_id, { token }),
      api.listFeeSchedules({ token }),
    ])
    return answers.map(({ status }) => status)
  }
  return { ...key, callAll, poll: () => api.getSearch(job_id, { token: key.token }) }
}

describe('a key that has just created a search', () => {
  it('gets 403 from the next request of every route once it is revoked', async () => {
    const { orgId, stored, token, callAll } = await createJob()
    expect(await callAll(token)).toEqual([202, 200, 200])
    await access.revokeKey(orgId, stored.keyId, new Date())
    expect(await callAll(token)).toEqual([403, 403, 403])
  })

  it('gets 403 from the next request of every route once its organization is inactive', async () => {
    const { orgId, token, callAll } = await createJob()
    await access.deactivateOrganization(orgId)
    expect(await callAll(token)).toEqual([403, 403, 403])
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

  it('does not affect other keys of its organization when it is revoked', async () => {
    const { orgId, stored, callAll } = await createJob()
    const other = issueApiKey(orgId)
    await access.putKey(other.stored, 'server', new Date())
    await access.revokeKey(orgId, stored.keyId, new Date())
    expect(await callAll(other.token)).toEqual([202, 200, 200])
  })
})
