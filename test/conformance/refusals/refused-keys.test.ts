import { describe, expect, it } from 'vitest'
import { call, createSearch, postSearch, service } from '../client.ts'
import { callRoute, eachRouteWithKey } from '../each-route.ts'
import { expectRefusal } from '../refusal.ts'
import { smallSearch } from '../samples.ts'

const [revoked, inactive] = service.refusedKeys

// Reported as skipped if no such keys are given.
describe.skipIf(!revoked || !inactive).each([
  ['that is revoked', revoked],
  ['of an inactive organization', inactive],
])('a key %s', (_, refused) => {
  const key = refused ?? ''

  it('is refused with 403 by every route that needs one', async () => {
    const { job_id } = await createSearch(smallSearch)
    const answers = await Promise.all(eachRouteWithKey.map(([, route]) => callRoute(route, job_id, { key })))
    for (const answer of answers) expectRefusal(answer, [403, 'forbidden'])
  })

  it('gets the same message for an existing and an unknown job', async () => {
    const { job_id } = await createSearch(smallSearch)
    const ids = [job_id, '7f8f9b1e-3c5a-4d0e-9b1a-2f6c8d7e5a41', 'not-a-uuid']
    const answers = await Promise.all(ids.map((id) => call(`/v1/searches/${id}`, { key })))
    const messages = answers.map((answer) => expectRefusal(answer, [403, 'forbidden']).error.message)
    expect(new Set(messages).size).toBe(1)
  })

  it('is refused before the body is checked', async () => {
    expectRefusal(await postSearch('{', { key }), [403, 'forbidden'])
  })

  it('does not reveal its state if one character is wrong', async () => {
    const almost = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')
    expectRefusal(await call('/v1/fee-schedules', { key: almost }), [401, 'unauthorized'])
  })
})
