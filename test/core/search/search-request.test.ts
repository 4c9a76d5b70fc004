import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { filterList } from '../../../contract/filters.ts'
import { maxFeeSchedules } from '../../../contract/limits.ts'
import type { SearchRequestBody } from '../../../contract/search-api.ts'
import { summaryOrders, summaryWeights } from '../../../contract/summaries.ts'
import { InvalidRequest } from '../../../core/errors.ts'
import { parseSearchRequest } from '../../../core/search/parse-search-request.ts'
import type { SearchRequest } from '../../../core/search/search-request.ts'
import { canonicalRequest, hashRequest } from '../../../core/search/search-request.ts'
import { anyBody, anySpelling, bodyOf, faultsOf } from '../../builders/request-bodies.ts'

const messageOf = (body: unknown) => {
  try {
    return parseSearchRequest(body)
  } catch (error) {
    return error instanceof InvalidRequest ? error.message : error
  }
}

const good = { npis: [1003000126], billing_codes: ['99213'], fee_schedules: [{ payer: 'Acme Health', plan: 'Gold' }] }

describe('the canonical form of a search', () => {
  it('sorts and normalizes every list and drops duplicates', () => {
    const request = parseSearchRequest({
      npis: [1003000134, 0, 1003000126, 1003000134, -0],
      tins: ['12-3456789', '01-2345678', '123456789', '0-1234-5678'],
      billing_codes: [' j1885', '0450', 'J1885 ', '450'],
      fee_schedules: [
        { payer: ' Zenith ', plan: 'Basic' },
        { payer: 'Acme  Health', plan: 'Gold' },
        { plan: 'Gold', payer: 'Acme Health' },
        { plan_id: '04-12345678' },
        { plan_id: '01-2345678' },
        { plan_id: ' 0412345678' },
      ],
    })
    expect(request).toStrictEqual({
      npis: [0, 1003000126, 1003000134],
      tins: ['012345678', '123456789'],
      billingCodes: ['0450', '450', 'J1885'],
      feeSchedules: [
        { payer: 'Acme Health', plan: 'Gold' },
        { payer: 'Zenith', plan: 'Basic' },
      ],
      planIds: ['012345678', '0412345678'],
    } satisfies SearchRequest)
  })

  it('lists columns in the order of a result, each once, whatever the order of the request', () => {
    const { columns, limit } = parseSearchRequest({ ...good, columns: ['plan', 'npi', 'payer', 'plan'], limit: 10 })
    expect([columns, limit]).toEqual([['payer', 'plan', 'npi'], 10])
  })

  it('omits what the request omits', () => {
    expect(parseSearchRequest({ npis: good.npis, fee_schedules: good.fee_schedules })).not.toHaveProperty(
      'billingCodes',
    )
    const { npis, tins } = parseSearchRequest({ billing_codes: ['1'], fee_schedules: good.fee_schedules })
    expect([npis, tins]).toEqual([undefined, undefined])
  })

  it('distinguishes case in payers and plans, but not in codes', () => {
    const parse = (payer: string, code: string) =>
      canonicalRequest(parseSearchRequest({ billing_codes: [code], fee_schedules: [{ payer, plan: 'Gold' }] }))
    expect(parse('Acme', 'j1885')).toBe(parse('Acme', 'J1885'))
    expect(parse('Acme', 'J1885')).not.toBe(parse('ACME', 'J1885'))
  })

  it('does not depend on order, duplicates, white space or the case of codes', () => {
    fc.assert(
      fc.property(anySpelling, ([body, spelling]) => {
        expect(parseSearchRequest(spelling)).toStrictEqual(parseSearchRequest(body))
      }),
    )
  })

  it('equals its own canonical form', () => {
    fc.assert(
      fc.property(anyBody, (body) => {
        const request = parseSearchRequest(body)
        expect(parseSearchRequest(bodyOf(request))).toStrictEqual(request)
      }),
    )
  })

  it('hashes to the same text exactly if it is the same', () => {
    const hash = (body: SearchRequestBody) => hashRequest(parseSearchRequest(body))
    const canonical = (body: SearchRequestBody) => canonicalRequest(parseSearchRequest(body))
    fc.assert(
      fc.property(anySpelling, anyBody, ([body, spelling], other) => {
        expect(hash(spelling)).toBe(hash(body))
        expect(hash(other) === hash(body)).toBe(canonical(other) === canonical(body))
        expect(hash(body)).toMatch(/^[0-9a-f]{64}$/)
      }),
    )
  })

  it('hashes to another text if anything at all is different', () => {
    const some = <Item>(...items: readonly Item[]) => fc.uniqueArray(fc.constantFrom(...items), { minLength: 1 })
    const pairs = some({ payer: 'A', plan: 'B' }, { payer: 'B', plan: 'A' }, { payer: 'A', plan: 'A' })
    // Has to name every field of a request to compile.
    const fields: { [Field in keyof SearchRequest]-?: fc.Arbitrary<NonNullable<SearchRequest[Field]>> } = {
      npis: some(0, 12),
      tins: some('0', '12'),
      billingCodes: some('0', '12'),
      networks: some('0', '12'),
      feeSchedules: pairs,
      planIds: some('0', '12', 'ein|12'),
      providers: fc.constantFrom({ states: ['12'] }, { zips: ['12'] }, { zips: ['12'], states: ['12'] }),
      asOf: fc.constant('2026-11-20'),
      summary: fc.record(
        {
          weight: fc.constantFrom(...summaryWeights),
          by: fc.subarray(['state', 'npi'] as const),
          includeDoubtful: fc.constant(true),
          countProviders: fc.constant(true),
          first: fc.record({ order: fc.constantFrom(...summaryOrders), limit: fc.constantFrom(1, 12) }),
        },
        { requiredKeys: ['weight', 'by'], noNullPrototype: true },
      ),
      columns: some('npi', 'plan'),
      limit: fc.constantFrom(1, 12),
      maxBytes: fc.constantFrom(1, 12),
    }
    const anyRequest = fc.record(fields, { requiredKeys: ['feeSchedules'], noNullPrototype: true })
    const anyTwo = fc.oneof({ arbitrary: fc.tuple(anyRequest, anyRequest), weight: 9 }, fc.clone(anyRequest, 2))
    const verdicts = { same: 0, different: 0 }
    fc.assert(
      fc.property(anyTwo, ([one, other]) => {
        const isSame = isDeepStrictEqual(one, other)
        verdicts[isSame ? 'same' : 'different']++
        expect(hashRequest(one) === hashRequest(other)).toBe(isSame)
      }),
      { numRuns: 10_000 },
    )
    expect(Math.min(verdicts.same, verdicts.different)).toBeGreaterThan(0)
  })

  it('does not depend on the order of its fields', () => {
    const ordered = { npis: [0], feeSchedules: [{ payer: 'A', plan: 'B' }] }
    expect(canonicalRequest({ feeSchedules: [{ plan: 'B', payer: 'A' }], npis: [0] })).toBe(canonicalRequest(ordered))
  })

  it('contains everything that a search reads', () => {
    fc.assert(
      fc.property(anyBody, (body) => {
        const request = parseSearchRequest(body)
        expect(JSON.parse(canonicalRequest(request))).toEqual(request)
      }),
    )
  })
})

describe('the faults of a search', () => {
  it('appear all at once, each with its path', () => {
    const body = {
      npis: [1003000126, 123, '1003000126', 1003000126.5, null],
      billing_codes: ['99213', 99213, '', 'x'.repeat(65), 'a\u0000b'],
      fee_schedules: [{ payer: 'Acme' }, { payer: ' ', plan: 'a\uD800' }, 'Acme', { payer: 'A', plan: 'B', year: 1 }],
      npi: [1],
    }
    expect(faultsOf(body).map(({ path }) => path)).toEqual([
      'npi',
      'npis[1]',
      'npis[2]',
      'npis[3]',
      'npis[4]',
      'billing_codes[1]',
      'billing_codes[2]',
      'billing_codes[3]',
      'billing_codes[4]',
      'fee_schedules[0].plan',
      'fee_schedules[1].payer',
      'fee_schedules[1].plan',
      'fee_schedules[2]',
      'fee_schedules[3].year',
    ])
  })

  it.each([
    [{}, ['fee_schedules', 'npis']],
    [{ npis: good.npis }, ['fee_schedules']],
    [{ fee_schedules: good.fee_schedules }, ['npis']],
    [{ ...good, npis: [] }, ['npis']],
    [{ tins: ['12-3456789'], fee_schedules: good.fee_schedules }, []],
    [{ ...good, tins: [] }, ['tins']],
    [{ ...good, tins: ['12', '1'.repeat(20)] }, []],
    [
      { ...good, tins: ['', '1', '1-', '-1', '--', '12 3456789', ' 12', '1'.repeat(21), '١٢', '12-345678A', null] },
      Array.from({ length: 11 }, (_, index) => `tins[${index}]`),
    ],
    [{ ...good, billing_codes: '99213' }, ['billing_codes']],
    [{ ...good, billing_codes: [] }, ['billing_codes']],
    [{ ...good, fee_schedules: null }, ['fee_schedules']],
    [{ ...good, fee_schedules: {} }, ['fee_schedules']],
    [{ ...good, fee_schedules: [null] }, ['fee_schedules[0]']],
    [{ ...good, npis: [1e9, 9999999999] }, []],
    [{ ...good, npis: [999999999] }, ['npis[0]']],
    [{ ...good, npis: [10000000000] }, ['npis[0]']],
    [{ ...good, npis: [-1003000126] }, ['npis[0]']],
    [{ ...good, billing_codes: ['caf\uFFFD'] }, ['billing_codes[0]']],
    [{ ...good, fee_schedules: [{ payer: 'A', plan: 'x'.repeat(201) }] }, ['fee_schedules[0].plan']],
    [[], ['']],
    ['body', ['']],
    [7, ['']],
    [JSON.parse('{"__proto__": {"npis": [0]}}'), ['__proto__', 'fee_schedules', 'npis']],
    [
      JSON.parse('{"npis": [0], "fee_schedules": [{"__proto__": {"payer": "A", "plan": "B"}}]}'),
      ['fee_schedules[0].__proto__', 'fee_schedules[0].payer', 'fee_schedules[0].plan'],
    ],
  ])('name every faulty field of %j: %j', (body, paths) => {
    expect(faultsOf(body).map(({ path }) => path)).toEqual(paths)
  })

  const items: Readonly<Record<string, unknown>> = {
    ...Object.fromEntries(filterList.map(({ name, kind }) => [name, kind === 'npi' ? 0 : '99213'])),
    fee_schedules: good.fee_schedules[0],
  }
  const ofRequest = filterList
    .filter((filter) => !('parent' in filter))
    .map(({ name, limit }) => [name, limit] as const)
  it.each([...ofRequest, ['fee_schedules', maxFeeSchedules] as const])(
    'name %s if it has more than %i items',
    (name, limit) => {
      const item = items[name]
      const list = Array.from({ length: limit }, () => item)
      expect(parseSearchRequest({ ...good, [name]: list }).feeSchedules.length).toBe(1)
      expect(faultsOf({ ...good, [name]: [...list, item] })).toEqual([
        { path: name, message: `must have at most ${limit} items, not ${limit + 1}` },
      ])
    },
  )

  it('beyond a hundred are only counted', () => {
    const faults = faultsOf({ ...good, npis: Array.from({ length: 250 }, () => 1) })
    expect(faults.length).toBe(101)
    expect(faults.at(-1)).toEqual({ path: '', message: 'and 150 more faults' })
  })

  it('never repeat a long or unprintable value in full', () => {
    const faults = faultsOf({
      ...good,
      billing_codes: [`a\u0085\u0007${'x'.repeat(1000)}`],
      [`f\u0000${'y'.repeat(99)}`]: 1,
    })
    expect(faults.length).toBe(2)
    expect(faults.filter(({ path, message }) => /\p{Cc}/u.test(path + message))).toEqual([])
    expect(Math.max(...faults.map(({ path, message }) => path.length + message.length))).toBeLessThan(280)
  })
})

describe('an invalid body', () => {
  it('causes a refusal with its first fault and the number of further ones', () => {
    const npis = Array.from({ length: 250 }, () => 1)
    const ofNpi = 'npis[0]: must be an NPI, an integer of ten digits, or 0 for rates of a whole TIN; not 1'
    expect([null, { ...good, npis: [1] }, { ...good, npis: [1, 1] }, { ...good, npis }].map(messageOf)).toEqual([
      'the body must be a JSON object, not null.',
      `${ofNpi}.`,
      `${ofNpi} (and 1 more fault, see details).`,
      `${ofNpi} (and 249 more faults, see details).`,
    ])
  })
})
