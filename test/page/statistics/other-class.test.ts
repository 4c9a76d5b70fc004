import { describe, expect, it } from 'vitest'
import type { ResultRow } from '../../../client/results/result-row.ts'
import { writeSentence } from '../../../client/results/sentence.ts'
import { compareCodes } from '../../../page/statistics/comparable-prices.ts'
import { answerOtherClass } from '../../../page/statistics/other-class.ts'
import { at } from '../../../schema/at.ts'

let tins = 0

/** Five prices of a plan around an amount. */
const rowsOf = (plan: string, rate: number, facts: object = {}): readonly ResultRow[] =>
  [-2, -1, 0, 1, 2].map((step) => ({
    ...{ payer: 'Acme', plan, billing_code_type: 'CPT', billing_code: '73721', name: 'MRI', rate_unit: 'usd' },
    ...{ billing_code_modifier: null, billing_class: 'professional', negotiation_arrangement: 'ffs' },
    ...{ negotiated_rate: rate + step, service_code: null, tin_type: 'ein', tin_value: String(++tins) },
    ...{ price_id: `price-${tins}`, npi: 1n },
    ...facts,
  }))

const facility = { billing_class: 'institutional' }
const reading = { billing_code_modifier: ['26'] }

/** The line about the other class of the first code, whose prices are shown in one of its classes. */
function describeOther(rows: readonly ResultRow[], shownClass = 'professional') {
  const codes = compareCodes(rows, 'tins')
  const shown = codes.find(({ basis }) => basis.billingClass === shownClass) ?? at(codes, 0)
  const sentence = answerOtherClass(shown, codes, 'tins')
  return sentence && writeSentence(sentence)
}

describe('the line about the other class of a code', () => {
  const both = [...rowsOf('Gold', 300), ...rowsOf('Silver', 340), ...rowsOf('Gold', 767, facility)]

  it('names what facilities bill in the order of the plans of the sentence, and the physician’s part there', () => {
    const rows = [...both, ...rowsOf('Silver', 689, facility)]
    expect(describeOther(rows)).toBe(
      'Hospitals and other facilities bill their own amount: $767.00 and $689.00; a physician may bill apart.',
    )
    const readings = [...rowsOf('Silver', 84, reading), ...rowsOf('Gold', 97, reading)]
    expect(describeOther([...rows, ...readings])).toBe(
      'Hospitals and other facilities bill their own amount: $767.00 and $689.00; ' +
        'the physician’s part there is modifier 26: $97.00 and $84.00.',
    )
  })

  it('names what professionals bill beside the prices of facilities, in their order', () => {
    const rows = [...both, ...rowsOf('Silver', 689, facility), ...rowsOf('Gold', 97, reading)]
    expect(describeOther(rows, 'institutional')).toBe(
      'Professionals bill their own amount: $340.00 and $300.00; ' +
        'the physician’s part in a facility is modifier 26: $97.00 (Gold).',
    )
  })

  it('names plans if they are not those of the sentence, and of many the lowest and the highest', () => {
    expect(describeOther(both)).toContain(' their own amount: $767.00 (Gold); ')
    const many = ['Iron', 'Tin', 'Zinc'].flatMap((plan, index) => rowsOf(plan, 700 + index * 10, facility))
    expect(describeOther([...both, ...many])).toContain(' own amount: $700.00 (Iron) to $767.00 (Gold); ')
  })

  it('stays away if a code has one class, if a class is of both or unknown, and for bundles', () => {
    expect(describeOther(rowsOf('Gold', 300))).toBeUndefined()
    for (const billing_class of ['both', null, 'dental'])
      expect(describeOther([...rowsOf('Gold', 300), ...rowsOf('Gold', 700, { billing_class })])).toBeUndefined()
    const bundle = { ...facility, negotiation_arrangement: 'bundle' }
    expect(describeOther([...rowsOf('Gold', 300), ...rowsOf('Gold', 9000, bundle)])).toBeUndefined()
  })
})
