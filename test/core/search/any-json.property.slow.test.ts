import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { faultsOf } from '../../builders/request-bodies.ts'

describe('any JSON value', () => {
  const strange = fc.oneof(
    fc.jsonValue({ stringUnit: 'binary' }),
    fc.constantFrom('\uD800', 'x\uDFFF', '\uFFFD', '\u0000', '\u009f', 1e308, -0, 2 ** 53, '__proto__', 'constructor'),
  )
  const names = fc.oneof(fc.constantFrom('__proto__', 'npis', 'payer', 'plan', 'toString', '\uD800'), fc.string())
  const lists = fc.oneof(strange, fc.array(fc.oneof(strange, fc.dictionary(names, strange))))
  const bodies = fc.oneof(
    strange,
    fc.dictionary(names, lists),
    fc.record({ npis: lists, tins: lists, fee_schedules: lists }, { requiredKeys: [] }),
  )

  it('parses as a valid search, or as an invalid one with only printable faults', () => {
    fc.assert(
      fc.property(bodies, (body) => {
        const faults = faultsOf(JSON.parse(JSON.stringify(body)))
        expect(faults.filter(({ path, message }) => !(path + message).isWellFormed())).toEqual([])
        expect(faults.filter(({ path, message }) => /\p{Cc}/u.test(path + message))).toEqual([])
      }),
      { numRuns: 10_000 },
    )
  })
})
