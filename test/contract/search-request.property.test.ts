import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { filterOf } from '../../contract/filters.ts'
import { maxFeeSchedules } from '../../contract/limits.ts'
import { findTextFault } from '../../contract/texts/names.ts'
import { parseStrictJson } from '../../core/search/strict-json.ts'
import { anyBody, faultsOf } from '../builders/request-bodies.ts'
import { apiDocument } from './documents.ts'
import { compileSchema } from './json-schemas.ts'

// The request parser writes better messages than a schema does; both must accept the same requests.
const fitsSchema = compileSchema(apiDocument, { $ref: '#/components/schemas/SearchRequest' })
const isAccepted = (body: unknown) => faultsOf(body).length === 0

/** Values at the limits of a field and beyond them. */
const edges: readonly unknown[] = [
  ...[0, 1, -1, 0.5, 999_999_999, 1_000_000_000, 1_000_000_000.5, 9_999_999_999, 10_000_000_000, 2 ** 53],
  ...['12', '1', '12-3456789', '1-', '-12', '1'.repeat(20), '1'.repeat(21), '12 34', '12-345678A', '\u0661\u0662'],
  ...['', ' ', '\u00a0', 'x', ' x ', '99213', 'x'.repeat(64), 'x'.repeat(65), 'x'.repeat(200), 'x'.repeat(201)],
  ...[
    'a\u0000b',
    'a\tb',
    'a\u200bb',
    'a\u202eb',
    '\ufeffa',
    '💉'.repeat(200),
    '💉'.repeat(201),
    '\u007f',
    'a\u0085',
    'a\u009fb',
    'a\ufffdb',
    'é',
    '医',
    '\u2028',
  ],
  ...[
    { states: ['tx'] },
    { states: [] },
    { states: ['Tx', 'TXX'] },
    { states: 'TX' },
    { zips: ['00501'], states: ['PR'] },
    { zips: ['501'] },
    { zips: ['77030-1501'] },
    { zips: [77030] },
    { taxonomies: ['207r00000x'] },
    { taxonomies: ['207R00000'] },
    { taxonomy: ['207R00000X'] },
  ],
  ...[null, true, [], {}, [[]], { payer: 'x' }, { payer: 'x', plan: 'y' }, { payer: 'x', plan: 'y', id: 1 }],
  ...[
    { payer: ' ', plan: 'y' },
    { payer: 'x', plan: 'y'.repeat(201) },
    { payer: null, plan: 'y' },
  ],
]

const anyValue = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...edges) }, fc.jsonValue({ maxDepth: 2 }))
const anyField = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('npis', 'tins', 'billing_codes', 'providers', 'fee_schedules') },
  fc.constantFrom('NPIs', 'npi', 'tin', 'constructor', '__proto__', 'toString', ''),
)

/** Changes to a valid body: fields removed, replaced or added, and items replaced. */
const anyChange = fc.oneof(
  fc.record({ kind: fc.constant('leave out' as const), field: anyField }),
  fc.record({ kind: fc.constant('replace' as const), field: anyField, value: anyValue }),
  fc.record({ kind: fc.constant('append' as const), field: anyField, value: anyValue }),
  fc.record({
    kind: fc.constant('repeat' as const),
    field: anyField,
    times: fc.constantFrom(0, 1, 200, 201, 2000, 2001),
  }),
)

const anyNearBody = fc.tuple(anyBody, fc.array(anyChange, { maxLength: 3 })).map(([body, changes]) => {
  const fields = new Map<string, unknown>(Object.entries(body))
  for (const change of changes) {
    const list = fields.get(change.field)
    if (change.kind === 'leave out') fields.delete(change.field)
    else if (change.kind === 'replace') fields.set(change.field, change.value)
    else if (Array.isArray(list)) {
      const items: readonly unknown[] = list
      const [first] = items
      fields.set(change.field, change.kind === 'append' ? [...items, change.value] : Array(change.times).fill(first))
    }
  }
  // Parsed from text, because a literal cannot have a field named __proto__.
  return `{${[...fields].map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`
})

describe('the request parser and the published schema', () => {
  it('accept the same bodies', () => {
    const verdicts = { accepted: 0, refused: 0 }
    fc.assert(
      fc.property(anyNearBody, (text) => {
        const accepted = isAccepted(parseStrictJson(text))
        verdicts[accepted ? 'accepted' : 'refused']++
        expect(fitsSchema(JSON.parse(text))).toBe(accepted)
      }),
      { numRuns: 2000 },
    )
    // Both outcomes must occur, or the property would prove little.
    expect(Math.min(verdicts.accepted, verdicts.refused)).toBeGreaterThan(200)
  })

  it('accept the same values that are not objects', () => {
    fc.assert(
      fc.property(anyValue, (body) => {
        expect(fitsSchema(body)).toBe(isAccepted(body))
      }),
    )
  })

  const pair = { payer: 'x', plan: 'y' }
  const codes = (...billing_codes: readonly string[]) => ({ billing_codes, fee_schedules: [pair] })
  const named = (payer: string) => ({ npis: [0], fee_schedules: [{ ...pair, payer }] })

  it.each([
    ['npis', 0, filterOf('npis').limit],
    ['tins', '12-3456789', filterOf('tins').limit],
    ['billing_codes', '99213', filterOf('billing_codes').limit],
    ['fee_schedules', pair, maxFeeSchedules],
  ])('allow %s the same number of items', (field, item, limit) => {
    const verdicts = [1, limit, limit + 1].map((length) => {
      const body = { npis: [0], fee_schedules: [pair], [field]: Array(length).fill(item) }
      return [fitsSchema(body), isAccepted(body)]
    })
    expect(verdicts).toEqual([
      [true, true],
      [true, true],
      [false, false],
    ])
  })

  it('refuse the same characters below U+10000', () => {
    const characters = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code))
    const wellFormed = characters.filter((character) => character.isWellFormed())
    const refused = wellFormed.filter((character) => findTextFault(character) !== undefined)
    expect(refused.length).toBeGreaterThan(100)
    expect(wellFormed.filter((character) => !fitsSchema(named(`a${character}b`)))).toEqual(refused)
  })

  it.each([
    ['a name with much white space', named(`a${' '.repeat(300)}b`)],
    ['a code with much white space around it', codes(`${' '.repeat(80)}99213`)],
    ['a name that is shorter in NFC', named('e\u0301'.repeat(150))],
  ])('disagree about %s, which the parser normalises first', (_, body) => {
    expect([fitsSchema(body), isAccepted(body)]).toEqual([false, true])
  })

  it.each([
    ['a lone surrogate, which no UTF-8 has', named('a\ud83d')],
    ['an invisible character beyond U+FFFF', named('a\u{e0041}')],
    ['a code that is longer in upper case', codes('ß'.repeat(40))],
    ['a code of 33 emoji, each of which counts twice', codes('💉'.repeat(33))],
    ['a code with its type before it', codes('CPT 99213')],
  ])('disagree about %s, which the parser refuses', (_, body) => {
    expect([fitsSchema(body), isAccepted(body)]).toEqual([true, false])
  })
})
