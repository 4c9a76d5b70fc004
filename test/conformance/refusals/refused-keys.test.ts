import { describe, it } from 'vitest'
import { createSearch, service } from '../client.ts'
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

  it('gets 403 from every route that needs a key', async () => {
    const { job_id } = await createSearch(smallSearch)
    const answers = await Promise.all(eachRouteWithKey.map(([, route]) => callRoute(route, job_id, { key })))
    for (const answer of answers) expectRefusal(answer, [403, 'forbidden'])
  })
})
