import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkSearch, nameSearch } from '../../../client/assistants/search-arguments.ts'
import { parseSearchRequest } from '../../../core/search/parse-search-request.ts'
import { canonicalRequest } from '../../../core/search/search-request.ts'
import { anyBody, anySpelling } from '../../builders/request-bodies.ts'
import { fieldCases } from '../request-fields.ts'
import { json, openTools } from './open-tools.ts'

const args = { fee_schedules: [{ payer: 'A', plan: 'B' }], billing_codes: ['99213'] }

/** Checks a search over a service with one estimate. */
async function check(
  size: { readonly bytes: number | null; readonly own_relation?: true },
  allowsUnknown: boolean,
  more: { readonly max_bytes?: number } = {},
) {
  const fee_schedules = [{ payer: 'A', plan: 'B', exists: true, nearest: [] }]
  const estimate = { fee_schedules, files: null, ...size, statement_bytes: 1, warnings: [] }
  const { session } = openTools(json(estimate), { sizes: { allowsUnknown, setting: 'the setting' } })
  return await checkSearch(session, { ...args, ...more }, new AbortController().signal)
}

describe('the limit of what a tool may read', () => {
  it('goes with the search, so that the service holds it', async () => {
    expect((await check({ bytes: 999 }, false)).request).toEqual({ ...args, max_bytes: 1_000 })
    expect((await check({ bytes: 999 }, false, { max_bytes: 999 })).request).toEqual({ ...args, max_bytes: 999 })
    expect((await check({ bytes: 5_000 }, true, { max_bytes: 6_000 })).request).toEqual({ ...args, max_bytes: 6_000 })
  })

  it('refuses a search that would read more', async () => {
    expect(await check({ bytes: 1_001 }, true)).toMatchObject({
      request: undefined,
      answer: { state: 'not started', needs: [{ about: 'max_bytes', choices: [1_001] }] },
    })
  })

  it.each([{}, { max_bytes: 1 }, { max_bytes: 1e15 }])(
    'refuses a search of unknown size, and names the setting: %j',
    async (more) => {
      const { answer } = { answer: undefined, ...(await check({ bytes: null }, false, more)) }
      expect(answer).toMatchObject({ state: 'not started', needs: [{ about: 'fee_schedules' }] })
      expect(JSON.stringify(answer)).toContain('the setting')
    },
  )

  it('lets a search of unknown size start if the operator allows it, or over an own relation', async () => {
    expect((await check({ bytes: null }, true)).request).toEqual(args)
    expect((await check({ bytes: null, own_relation: true }, false, { max_bytes: 1 })).request).toEqual(args)
  })
})

describe('words in place of a code', () => {
  const estimate = { fee_schedules: [{ payer: 'A', plan: 'B', exists: true, nearest: [] }], files: 1, bytes: 1 }
  const listing = ['CSTM-ALL', 'PER DIEM'].map((billing_code) => ({
    billing_code,
    billing_code_type: 'LOCAL',
    name: '',
  }))

  async function checkCodes(billing_codes: readonly string[], own_relation?: true) {
    const sizes = { ...estimate, statement_bytes: 1, warnings: [], ...(own_relation && { own_relation }) }
    const { session, requests } = openTools((path) =>
      path.endsWith('/billing-codes') ? json({ billing_codes: listing, next_cursor: null })() : json(sizes)(),
    )
    const { request, answer } = {
      answer: undefined,
      ...(await checkSearch(session, { ...args, billing_codes }, new AbortController().signal)),
    }
    return {
      isAllowed: request !== undefined,
      answer,
      lookUps: requests.filter((path) => path.includes('billing-codes')),
    }
  }

  it.each(['MRI knee', 'colonoscopy', 'office visit, established patient', '膝'])(
    'leads to find_codes: %s',
    async (words) => {
      const { isAllowed, answer } = await checkCodes(['99213', words])
      expect(isAllowed).toBe(false)
      expect(answer).toMatchObject({ state: 'not started', needs: [{ about: 'billing_codes' }] })
      expect(JSON.stringify(answer)).toContain(words)
      expect(JSON.stringify(answer)).toContain('find_codes')
    },
  )

  it('start a search if a loaded file has them as a code, or if the operator’s relation may', async () => {
    expect(await checkCodes(['cstm-all', 'Per  diem'])).toMatchObject({ isAllowed: true })
    expect(await checkCodes(['MRI knee'], true)).toMatchObject({ isAllowed: true, lookUps: [] })
  })

  it('cost a call only without a digit, and no more than five', async () => {
    expect(await checkCodes(['99213', 'J1885', '0470'])).toMatchObject({ isAllowed: true, lookUps: [] })
    expect((await checkCodes(Array.from({ length: 50 }, () => 'CSTM-ALL'))).lookUps).toHaveLength(5)
  })
})

describe("the idempotency key of a tool's search", () => {
  const day = new Date('2026-11-28T12:00:00Z')

  it.each(fieldCases)('depends on the meaning of $field, and not on its spelling', ({ request, other, spelling }) => {
    const nameOf = (each: typeof request) => nameSearch(each, {}, day)
    expect(nameOf(other)).not.toBe(nameOf(request))
    if (spelling) expect(nameOf(spelling)).toBe(nameOf(request))
  })

  it('equals that of another search exactly if the service takes both for one search', () => {
    const canonical = (body: unknown) => canonicalRequest(parseSearchRequest(body))
    fc.assert(
      fc.property(anySpelling, anyBody, ([body, spelling], other) => {
        expect(nameSearch(spelling, {}, day)).toBe(nameSearch(body, {}, day))
        expect(nameSearch(other, {}, day) === nameSearch(body, {}, day)).toBe(canonical(other) === canonical(body))
      }),
    )
  })

  it('changes each day, and with `again` each minute', () => {
    const at = (time: string, again: boolean) => nameSearch(args, { again }, new Date(`2026-11-${time}:30Z`))
    expect(at('28T12:00', false)).toBe(at('28T23:59', false))
    expect(at('28T12:00', false)).not.toBe(at('29T12:00', false))
    expect(at('28T12:00', true)).not.toBe(at('28T12:01', true))
  })
})
