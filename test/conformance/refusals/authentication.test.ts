import { describe, expect, it } from 'vitest'
import { sendAuthorizationBytes } from '../bare-request.ts'
import { call, createSearch, otherKey, ownKey, service } from '../client.ts'
import { callRoute, eachRouteWithKey } from '../each-route.ts'
import { expectRefusal } from '../refusal.ts'
import { smallSearch } from '../samples.ts'

const { job_id } = await createSearch(smallSearch)

const basic = Buffer.from(`${ownKey}:`).toString('base64')
const middle = Math.floor(ownKey.length / 2)
const swapAt = (at: number) => ownKey.slice(0, at) + (ownKey[at] === 'a' ? 'b' : 'a') + ownKey.slice(at + 1)

/** Values of `Authorization` that are not a valid key. */
const wrongValues = [
  '',
  'Bearer',
  ownKey,
  `Basic ${basic}`,
  `Bearer ${ownKey} ${otherKey}`,
  `Bearer ${swapAt(middle)}`,
  `Bearer ${ownKey.toUpperCase()}`,
  `Bearer ${ownKey.slice(0, middle)}${otherKey.slice(middle)}`,
  `Bearer ${ownKey}${'0'.repeat(6000)}`,
]

describe.each(eachRouteWithKey)('%s', (_, route) => {
  it('refuses requests without an Authorization header with 401, even with the key in other headers', async () => {
    const elsewhere = { 'X-Api-Key': ownKey, Cookie: `key=${ownKey}`, 'Proxy-Authorization': `Bearer ${ownKey}` }
    const answer = await callRoute(route, job_id, { key: null, headers: elsewhere })
    expectRefusal(answer, [401, 'unauthorized'])
    const { headers } = answer
    const challenge = headers.get('WWW-Authenticate') ?? headers.get('x-amzn-remapped-www-authenticate')
    expect(challenge).toMatch(/^Bearer\b/)
  })
})

describe('a wrong key', () => {
  it('gets 401, always with the same message', async () => {
    const answers = await Promise.all(
      wrongValues.map((Authorization) => call(`/v1/searches/${job_id}`, { key: null, headers: { Authorization } })),
    )
    const messages = answers.map((answer) => expectRefusal(answer, [401, 'unauthorized']).error.message)
    expect(new Set(messages).size).toBe(1)
  })

  it.each([
    ['bytes beyond ASCII', Buffer.from([...Buffer.from('Bearer '), 0xff, 0xfe, 0xe9])],
    ['an emoji in UTF-8', Buffer.from('Bearer 💉')],
    ['the key with a byte beyond ASCII after it', Buffer.from([...Buffer.from(`Bearer ${ownKey}`), 0xe9])],
    ['the key with a no-break space before it', Buffer.from(`Bearer \u00a0${ownKey}`)],
  ])('gets 401 if it is made of %s', async (_, value) => {
    expect(await sendAuthorizationBytes(`${service.baseUrl}/v1/searches/${job_id}`, value)).toBe(401)
  })
})

describe('a valid key', () => {
  it('opens the API with the scheme in any case (RFC 9110, 11.1)', async () => {
    for (const scheme of ['bearer', 'BEARER']) {
      const headers = { Authorization: `${scheme} ${ownKey}` }
      expect((await call(`/v1/searches/${job_id}`, { key: null, headers })).status).toBe(200)
    }
  })
})
