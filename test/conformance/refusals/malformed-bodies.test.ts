import { describe, expect, it } from 'vitest'
import { postSearch } from '../client.ts'
import { expectRefusal, faultPaths } from '../refusal.ts'
import { gold } from '../samples.ts'

const codes = { billing_codes: ['99213'] }
const valid = { ...codes, fee_schedules: [gold] }

/** Bodies that are not a search at all; the fault has no path. */
const notSearches: readonly (readonly [string, string])[] = [
  ['nothing', ''],
  ['half an object', '{"npis": ['],
  ['an array', JSON.stringify([valid])],
  ['arrays nested a hundred thousand deep', '['.repeat(100_000) + ']'.repeat(100_000)],
]

/** A search for an NPI in the given spelling. */
const npi = (written: string) => `{"npis": [${written}], "fee_schedules": [{"payer": "x", "plan": "y"}]}`

const everywhere = ['billing_codes[0]', 'fee_schedules[0].payer', 'fee_schedules[0].plan', 'npis', 'x']

/** One invalid search of each kind with the paths of its faults; test/core/search/search-request.test.ts has others. */
const faulty: readonly (readonly [string, object | string, ...string[]])[] = [
  ['no fields', {}, 'fee_schedules', 'npis'],
  ['an NPI that is 0 only after rounding', npi('1e-400'), 'npis[0]'],
  ['NPIs twice', npi('0').replace('{', '{"npis": [0], '), 'npis'],
  ['10,001 NPIs', { ...valid, npis: Array.from({ length: 10_001 }, () => 1000100002) }, 'npis'],
  ['a field that sets the prototype', `{"__proto__": {"npis": [0]}, ${JSON.stringify(valid).slice(1)}`, '__proto__'],
  ['faults everywhere', { npis: 'x', billing_codes: [1], fee_schedules: [{}], x: 0 }, ...everywhere],
]

describe('a body that is not a search', () => {
  it.each(notSearches)('gets 400: %s', async (_, body) => {
    const refused = expectRefusal(await postSearch(body), [400, 'invalid_request'])
    expect(faultPaths(refused)).toEqual([''])
  })
})

describe('an invalid search', () => {
  it.each(faulty)('gets 400 with every fault: %s', async (_, body, ...paths) => {
    const answer = await postSearch(typeof body === 'string' ? body : JSON.stringify(body))
    const refused = expectRefusal(answer, [400, 'invalid_request'])
    expect(faultPaths(refused)).toEqual(paths.toSorted())
    const [first] = refused.error.details ?? []
    expect(refused.error.message).toContain(`${first?.path}: ${first?.message}`)
    for (const { message } of refused.error.details ?? []) expect(message).toMatch(/\w/)
  })

  it('gets 400 if a name is not valid UTF-8', async () => {
    const body = Buffer.from(JSON.stringify({ ...codes, fee_schedules: [{ ...gold, plan: 'Caf\u00e9' }] }), 'latin1')
    expectRefusal(await postSearch(new Uint8Array(body)), [400, 'invalid_request'])
  })
})
