import { describe, expect, it } from 'vitest'
import { postSearch } from '../client.ts'
import { expectRefusal, faultPaths } from '../refusal.ts'
import { gold } from '../samples.ts'

const plans = { fee_schedules: [gold] }
const codes = { billing_codes: ['99213'] }
const valid = { ...codes, ...plans }

/** Bodies that are not a search at all; the fault has no path. */
const notSearches: readonly (readonly [string, string | Uint8Array<ArrayBuffer>])[] = [
  ['nothing', ''],
  ['only spaces', '   '],
  ['half an object', '{"npis": ['],
  ['an object followed by a comma', `${JSON.stringify(valid)},`],
  ['two objects', JSON.stringify(valid).repeat(2)],
  ['single quotes', "{'npis': [1000100002]}"],
  ['a comment', `/* all */ ${JSON.stringify(valid)}`],
  ['a trailing comma', '{"npis": [1000100002,], "fee_schedules": []}'],
  ['a number that JSON does not have', '{"npis": [NaN]}'],
  ['a form', 'npis=1000100002&payer=x'],
  ['UTF-16', new Uint8Array(Buffer.from(JSON.stringify(valid), 'utf16le'))],
  ['null', 'null'],
  ['true', 'true'],
  ['a number', '7'],
  ['a string', '"npis"'],
  ['an array', JSON.stringify([valid])],
  ['arrays nested a hundred thousand deep', '['.repeat(100_000) + ']'.repeat(100_000)],
]

/** A search for an NPI in the given spelling. */
const npi = (written: string) => `{"npis": [${written}], "fee_schedules": [{"payer": "x", "plan": "y"}]}`

const everywhere = ['billing_codes[0]', 'fee_schedules[0].payer', 'fee_schedules[0].plan', 'npis', 'x']

/** Invalid searches of each kind, and the path of each fault; test/core/search/search-request.test.ts has the rest. */
const faulty: readonly (readonly [string, object | string, ...string[]])[] = [
  ['no fields', {}, 'fee_schedules', 'npis'],
  ['no fee schedules', codes, 'fee_schedules'],
  ['neither NPIs, TINs nor codes', plans, 'npis'],
  ['null fee schedules', { ...codes, fee_schedules: null }, 'fee_schedules'],
  ['an empty list of fee schedules', { ...codes, fee_schedules: [] }, 'fee_schedules'],
  ['a fee schedule outside a list', { ...codes, fee_schedules: gold }, 'fee_schedules'],
  ['201 fee schedules', { ...codes, fee_schedules: Array.from({ length: 201 }, () => gold) }, 'fee_schedules'],
  ['a fee schedule that is a string', { ...codes, fee_schedules: [gold, 'Gold'] }, 'fee_schedules[1]'],
  ['no payer', { ...codes, fee_schedules: [{ plan: 'x' }] }, 'fee_schedules[0].payer'],
  ['no plan', { ...codes, fee_schedules: [gold, gold, { payer: 'x' }] }, 'fee_schedules[2].plan'],
  [
    'a plan of 201 characters',
    { ...codes, fee_schedules: [{ ...gold, plan: 'x'.repeat(201) }] },
    'fee_schedules[0].plan',
  ],
  ['a line break in a plan', { ...codes, fee_schedules: [{ ...gold, plan: 'a\nb' }] }, 'fee_schedules[0].plan'],
  ['a NUL in a payer', { ...codes, fee_schedules: [{ ...gold, payer: 'a\0b' }] }, 'fee_schedules[0].payer'],
  ['an empty list of NPIs', { ...valid, npis: [] }, 'npis'],
  ['an NPI that is a string', { ...valid, npis: ['1000100002'] }, 'npis[0]'],
  ['an NPI of eleven digits', { ...valid, npis: [10001000000] }, 'npis[0]'],
  ['an NPI that is 0 only after rounding', npi('1e-400'), 'npis[0]'],
  ['NPIs twice', npi('0').replace('{', '{"npis": [0], '), 'npis'],
  [
    'a zero-width space in a payer',
    { ...codes, fee_schedules: [{ ...gold, payer: 'a\u200bb' }] },
    'fee_schedules[0].payer',
  ],
  [
    'a bidirectional control in a plan',
    { ...codes, fee_schedules: [{ ...gold, plan: 'a\u202eb' }] },
    'fee_schedules[0].plan',
  ],
  ['a billing code with its type', { ...plans, billing_codes: ['CPT 99213'] }, 'billing_codes[0]'],
  ['10,001 NPIs', { ...valid, npis: Array.from({ length: 10_001 }, () => 1000100002) }, 'npis'],
  ['a TIN that is a number', { ...valid, tins: [12345678] }, 'tins[0]'],
  ['a TIN of one digit', { ...valid, tins: ['12', '1'] }, 'tins[1]'],
  ['2,001 TINs', { ...valid, tins: Array.from({ length: 2001 }, () => '12-3456789') }, 'tins'],
  ['an empty list of billing codes', { ...plans, billing_codes: [] }, 'billing_codes'],
  ['a billing code that is a number', { ...plans, billing_codes: [99213] }, 'billing_codes[0]'],
  ['a billing code of 65 characters', { ...plans, billing_codes: ['x'.repeat(65)] }, 'billing_codes[0]'],
  ['2,001 billing codes', { ...plans, billing_codes: Array.from({ length: 2001 }, () => '99213') }, 'billing_codes'],
  ['a misspelt field', { ...valid, npi: [1000100002] }, 'npi'],
  ['a field that sets the prototype', `{"__proto__": {"npis": [0]}, ${JSON.stringify(valid).slice(1)}`, '__proto__'],
  ['faults everywhere', { npis: 'x', billing_codes: [1], fee_schedules: [{}], x: 0 }, ...everywhere],
]

describe('a body that is not a search', () => {
  it.each(notSearches)('is refused with 400: %s', async (_, body) => {
    const refused = expectRefusal(await postSearch(body), [400, 'invalid_request'])
    expect(faultPaths(refused)).toEqual([''])
  })
})

describe('an invalid search', () => {
  it.each(faulty)('is refused with 400 naming every fault: %s', async (_, body, ...paths) => {
    const answer = await postSearch(typeof body === 'string' ? body : JSON.stringify(body))
    const refused = expectRefusal(answer, [400, 'invalid_request'])
    expect(faultPaths(refused)).toEqual(paths.toSorted())
    const [first] = refused.error.details ?? []
    expect(refused.error.message).toContain(`${first?.path}: ${first?.message}`)
    for (const { message } of refused.error.details ?? []) expect(message).toMatch(/\w/)
  })

  it('is refused with 400 if a name is not valid UTF-8', async () => {
    const body = Buffer.from(JSON.stringify({ ...codes, fee_schedules: [{ ...gold, plan: 'Caf\u00e9' }] }), 'latin1')
    expectRefusal(await postSearch(new Uint8Array(body)), [400, 'invalid_request'])
  })

  it('is refused with 400 naming the list to shorten if its lists together are too long for a query', async () => {
    const npis = Array.from({ length: 10_000 }, (_, index) => 2_000_000_000 + index)
    const billing_codes = Array.from({ length: 2000 }, (_, index) => String(index).padStart(64, 'x'))
    const fee_schedules = Array.from({ length: 200 }, (_, index) => ({
      payer: 'Acme',
      plan: String(index).padStart(180, 'x'),
    }))
    const answer = await postSearch(JSON.stringify({ npis, billing_codes, fee_schedules }))
    expect(faultPaths(expectRefusal(answer, [400, 'invalid_request']))).toEqual(['billing_codes'])
  })

  it('is refused with 400 and an answer of limited length if it has thousands of faults', async () => {
    const answer = await postSearch(JSON.stringify({ npis: Array.from({ length: 10_000 }, () => 'x'), ...plans }))
    expectRefusal(answer, [400, 'invalid_request'])
    expect(answer.text.length).toBeLessThan(100_000)
  })
})
