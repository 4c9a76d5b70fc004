import { describe, expect, it } from 'vitest'
import { sendAuthorizationBytes } from '../bare-request.ts'
import { call, createSearch, otherKey, ownKey, postSearch, service } from '../client.ts'
import { callRoute, eachRouteWithKey } from '../each-route.ts'
import { expectRefusal } from '../refusal.ts'
import { smallSearch } from '../samples.ts'

const { job_id } = await createSearch(smallSearch)

const basic = Buffer.from(`${ownKey}:`).toString('base64')
const middle = Math.floor(ownKey.length / 2)
const swapAt = (at: number) => ownKey.slice(0, at) + (ownKey[at] === 'a' ? 'b' : 'a') + ownKey.slice(at + 1)

/** Values of `Authorization` that are not a valid key. */
const wrongValues: readonly (readonly [string, string])[] = [
  ['an empty value', ''],
  ['only the scheme', 'Bearer'],
  ['the key without a scheme', ownKey],
  ['the key under the scheme Basic', `Basic ${ownKey}`],
  ['the key as the user of Basic', `Basic ${basic}`],
  ['the scheme and the key without a space', `Bearer${ownKey}`],
  ['two keys', `Bearer ${ownKey} ${otherKey}`],
  ['the key without its last character', `Bearer ${ownKey.slice(0, -1)}`],
  ['the key with an extra character', `Bearer ${ownKey}0`],
  ['the key with a character in the middle changed', `Bearer ${swapAt(middle)}`],
  ['the key in upper case', `Bearer ${ownKey.toUpperCase()}`],
  ["one key's beginning and the other's end", `Bearer ${ownKey.slice(0, middle)}${otherKey.slice(middle)}`],
  ['seven thousand characters', `Bearer ${'x'.repeat(7000)}`],
  ['the key with six thousand characters after it', `Bearer ${ownKey}${'0'.repeat(6000)}`],
]

describe.each(eachRouteWithKey)('%s', (_, route) => {
  it('without an Authorization header is refused with 401', async () => {
    const answer = await callRoute(route, job_id, { key: null })
    expectRefusal(answer, [401, 'unauthorized'])
    const { headers } = answer
    const challenge = headers.get('WWW-Authenticate') ?? headers.get('x-amzn-remapped-www-authenticate')
    expect(challenge).toMatch(/^Bearer\b/)
  })

  it('with a key that was never issued is refused with 401', async () => {
    expectRefusal(await callRoute(route, job_id, { key: `${ownKey}0` }), [401, 'unauthorized'])
  })

  it('is refused with 401 if the key is in another header', async () => {
    const elsewhere = { 'X-Api-Key': ownKey, Cookie: `key=${ownKey}`, 'Proxy-Authorization': `Bearer ${ownKey}` }
    expectRefusal(await callRoute(route, job_id, { key: null, headers: elsewhere }), [401, 'unauthorized'])
  })
})

describe('a wrong key', () => {
  it.each(wrongValues)('of %s is refused with 401', async (_, Authorization) => {
    const answer = await call(`/v1/searches/${job_id}`, { key: null, headers: { Authorization } })
    expectRefusal(answer, [401, 'unauthorized'])
  })

  it.each([
    ['bytes beyond ASCII', Buffer.from([...Buffer.from('Bearer '), 0xff, 0xfe, 0xe9])],
    ['an emoji in UTF-8', Buffer.from('Bearer 💉')],
    ['the key with a byte beyond ASCII after it', Buffer.from([...Buffer.from(`Bearer ${ownKey}`), 0xe9])],
    ['the key with a no-break space before it', Buffer.from(`Bearer \u00a0${ownKey}`)],
  ])('made of %s is refused with 401', async (_, value) => {
    expect(await sendAuthorizationBytes(`${service.baseUrl}/v1/searches/${job_id}`, value)).toBe(401)
  })

  it('gets the same message as every other invalid key', async () => {
    const headers = wrongValues.map(([, value]) => value)
    const answers = await Promise.all(
      headers.map((Authorization) => call(`/v1/searches/${job_id}`, { key: null, headers: { Authorization } })),
    )
    const messages = answers.map((answer) => expectRefusal(answer, [401, 'unauthorized']).error.message)
    expect(new Set(messages).size).toBe(1)
  })

  it('is refused before the body is checked', async () => {
    expectRefusal(await postSearch('{', { key: 'wrong' }), [401, 'unauthorized'])
    const headers = { 'Content-Type': 'text/plain' }
    expectRefusal(await postSearch('hello', { key: 'wrong', headers }), [401, 'unauthorized'])
  })

  it('is refused before the query parameters are checked', async () => {
    expectRefusal(await call('/v1/fee-schedules?limit=none', { key: 'wrong' }), [401, 'unauthorized'])
  })

  it('is refused for an unknown job too', async () => {
    const unknown = await call('/v1/searches/7f8f9b1e-3c5a-4d0e-9b1a-2f6c8d7e5a41', { key: 'wrong' })
    expectRefusal(unknown, [401, 'unauthorized'])
  })
})

describe('a valid key', () => {
  it('is accepted with the scheme in any case (RFC 9110, 11.1)', async () => {
    for (const scheme of ['bearer', 'BEARER']) {
      const headers = { Authorization: `${scheme} ${ownKey}` }
      expect((await call(`/v1/searches/${job_id}`, { key: null, headers })).status).toBe(200)
    }
  })
})
