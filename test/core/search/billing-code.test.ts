import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rewrittenCodeTypes, toLoadedForm } from '../../../contract/texts/code-types.ts'
import { normaliseBillingCode } from '../../../contract/texts/written-code.ts'
import { canonicalBillingCode, listUnsearched, searchedBillingCode } from '../../../core/search/billing-code.ts'

const types = [...rewrittenCodeTypes, 'CPT', 'HCPCS', 'APR-DRG', 'CSTM-ALL', 'LOCAL']
const anyType = fc.constantFrom(...types)

/** Texts that look like codes, and arbitrary text. */
const anyCode = fc.oneof(
  fc.stringMatching(/^\d{1,5}$/),
  fc.stringMatching(/^[a-zA-Z0-9]{1,4}\.[a-zA-Z0-9]{1,4}$/),
  fc.stringMatching(/^\d{4,5}-\d{3,4}-\d{1,2}$/),
  fc.stringMatching(/^[A-Za-z]\d{4}$/),
  fc.string({ unit: 'binary' }),
)

describe('the canonical form of a billing code', () => {
  it.each([
    // Revenue codes have four digits.
    ['RC', '450', '0450'],
    ['RC', '0450', '0450'],
    ['RC', '1', '0001'],
    ['RC', '1001', '1001'],
    ['RC', '45X', '45X'],
    ['RC', '', ''],
    ['RC', '00450', '0450'],
    ['RC', '00000', '0000'],
    ['RC', '10001', '10001'],
    // Diagnosis related groups have three digits.
    ['MS-DRG', '1', '001'],
    ['MS-DRG', '27', '027'],
    ['MS-DRG', '470', '470'],
    ['MS-DRG', '0470', '470'],
    ['MS-DRG', '0027', '027'],
    ['MS-DRG', '1470', '1470'],
    // The dot of an ICD code carries no meaning.
    ['ICD', '81.54', '8154'],
    ['ICD', '8154', '8154'],
    ['ICD', 's72.001a', 'S72001A'],
    ['ICD', '1.2.3', '1.2.3'],
    ['ICD', '81.', '81.'],
    // Drug codes: 4-4-2, 5-3-2, 5-4-1 and 5-4-2 are 5, 4 and 2 digits.
    ['NDC', '0002-7597-01', '00002759701'],
    ['NDC', '50242-040-62', '50242004062'],
    ['NDC', '60575-4112-1', '60575411201'],
    ['NDC', '60575-4112-01', '60575411201'],
    ['NDC', '60575411201', '60575411201'],
    ['NDC', '0002-759-01', '0002-759-01'],
    ['NDC', '0002-7597-1', '0002-7597-1'],
    ['NDC', '50242-040-6', '50242-040-6'],
    ['NDC', '50242-040-62-1', '50242-040-62-1'],
    ['NDC', '150242-040-62', '150242-040-62'],
    ['NDC', '1-60575-4112-01', '1-60575-4112-01'],
    // No other type loses or gains leading zeros, which carry meaning.
    ['CPT', '00100', '00100'],
    ['CPT', '100', '100'],
    ['APR-DRG', '1', '1'],
    ['HCPCS', ' j1885 ', 'J1885'],
    ['CSTM-ALL', 'cstm-00', 'CSTM-00'],
  ])('turns %s %j into %j', (type, code, canonical) => {
    expect(canonicalBillingCode(type, code)).toBe(canonical)
  })

  it('does not change when canonicalised again, in any type', () => {
    fc.assert(
      fc.property(anyType, anyCode, (type, code) => {
        const once = canonicalBillingCode(type, code)
        expect(canonicalBillingCode(type, once)).toBe(once)
      }),
      { numRuns: 2000 },
    )
  })

  it('does not depend on case or surrounding white space', () => {
    const written = fc.stringMatching(/^[a-zA-Z0-9.-]{1,12}$/)
    fc.assert(
      fc.property(anyType, written, (type, code) => {
        const canonical = canonicalBillingCode(type, code)
        expect(canonicalBillingCode(type, ` ${code.toLowerCase()}\t`)).toBe(canonical)
      }),
    )
  })

  it('never merges two codes of the same length without a dot or hyphen', () => {
    const plain = fc.stringMatching(/^[A-Z0-9]{5}$/)
    fc.assert(
      fc.property(anyType, plain, plain, (type, one, other) => {
        expect(canonicalBillingCode(type, one) === canonicalBillingCode(type, other)).toBe(one === other)
      }),
    )
  })
})

describe('the form of a code that a search compares', () => {
  it.each([
    ['RC', '450', '0450'],
    ['RC', '0450', '0450'],
    ['MS-DRG', '27', '027'],
    ['ICD', '81.54', '8154'],
    ['ICD', '0.1', '01'],
    // Anaesthesia codes of CPT, which are neither revenue codes nor DRGs.
    ['RC', '00450', '00450'],
    ['MS-DRG', '00470', '00470'],
    ['MS-DRG', '0470', '0470'],
  ])('turns, in %s, %s into %s', (type, code, searched) => {
    expect(searchedBillingCode(type, code)).toBe(searched)
  })
})

describe('a code as a file writes it', () => {
  it('finds its rows, or is listed with the form that rows have if that has fewer zeros', () => {
    fc.assert(
      fc.property(fc.constantFrom(...types), anyCode, (type, code) => {
        const form = toLoadedForm(type, normaliseBillingCode(code))
        const requested = normaliseBillingCode(code)
        const isFound = requested === form || searchedBillingCode(type, requested) === form
        const unsearched = listUnsearched([requested]).filter((each) => each.type === type)
        const isShort = requested.startsWith('0') && requested.length < 5 && form.length <= requested.length
        expect(unsearched).toEqual(isShort && !isFound ? [{ code: requested, type, form }] : [])
        expect(
          listUnsearched([requested, form]).filter((each) => each.type === type && each.code === requested),
        ).toEqual([])
      }),
    )
  })

  it.each([
    ['0470', [['MS-DRG', '470']]],
    ['0001', [['MS-DRG', '001']]],
    ['00470', []],
    ['00100', []],
    ['470', []],
    ['450', []],
    ['001', []],
    ['99213', []],
    ['J1885', []],
  ])('says of %s that it is not found as %j', (code, others) => {
    expect(listUnsearched([code]).map(({ type, form }) => [type, form])).toEqual(others)
  })
})

describe('a normalised billing code', () => {
  it('does not change when normalised again, with any characters', () => {
    const unstable: string[] = []
    for (let point = 0; point <= 0x10ffff; point++) {
      const once = normaliseBillingCode(`A${String.fromCodePoint(point)}B`)
      if (normaliseBillingCode(once) !== once) unstable.push(point.toString(16))
    }
    expect(unstable).toEqual([])
  })

  it('equals that of the same letters composed or decomposed', () => {
    expect(normaliseBillingCode('e\u0301')).toBe(normaliseBillingCode('\u00e9'))
    expect(normaliseBillingCode('\u03b9\u0308\u0301')).toBe(normaliseBillingCode('\u0390'))
  })
})
