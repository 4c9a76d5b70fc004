import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ResultRow } from '../../../client/results/result-row.ts'
import { answerCode } from '../../../page/statistics/answer-code.ts'
import { compareCodes } from '../../../page/statistics/comparable-prices.ts'
import { groupPrices } from '../../../page/statistics/rate-groups.ts'
import { findOtherMedian } from '../../../page/statistics/weights.ts'

/** An agreement of a plan with a TIN about an amount. */
interface Contract {
  readonly plan: string
  readonly tin: number
  readonly rate: number
  readonly setting: string | null
  readonly places: readonly string[] | null
}

const anyContract: fc.Arbitrary<Contract> = fc.record({
  plan: fc.constantFrom('Gold', 'Silver', 'Bronze'),
  tin: fc.integer({ min: 1, max: 9 }),
  rate: fc.constantFrom(10, 20, 30, 40, 55.5),
  setting: fc.constantFrom(null, 'inpatient'),
  places: fc.constantFrom(null, ['11'], ['11', '22'], ['CSTM-00']),
})

/** The row of a contract, as a part of a price. */
const rowOf = ({ plan, tin, rate, setting, places }: Contract, price: string): ResultRow => ({
  ...{
    payer: 'Acme',
    plan,
    billing_code_type: 'CPT',
    billing_code: '73721',
    name: 'MRI',
    negotiated_type: 'negotiated',
  },
  ...{ tin_type: 'ein', tin_value: String(tin), npi: BigInt(1000 + tin), price_id: price },
  ...{ rate_unit: 'usd', negotiated_rate: rate, setting, service_code: places },
})

/** Each contract in a price of its own. */
const writeByTin = (contracts: readonly Contract[]) => contracts.map((one, index) => rowOf(one, `price-${index}`))

/** All contracts of a plan that have an amount and terms in common in one price. */
const writeByAmount = (contracts: readonly Contract[]) =>
  contracts.map((one) => rowOf(one, JSON.stringify([one.plan, one.rate, one.setting, one.places])))

/** The sentence about the code, and each number that the page shows. */
const describeCode = (rows: readonly ResultRow[]) =>
  compareCodes(rows, 'tins').map((prices) => ({
    sentence: answerCode(prices),
    basis: prices.basis,
    groups: prices.groups.map(({ plan, terms, percentiles, prices: { length } }) => [plan, terms, percentiles, length]),
    bases: prices.bases.map(({ basis, places, terms }) => [basis, places, terms]),
  }))

describe('the page under the weight of TINs', () => {
  it('says the same of a plan that has a price for each TIN and one that has a price for many', () => {
    fc.assert(
      fc.property(fc.array(anyContract, { minLength: 1, maxLength: 40 }), (contracts) => {
        expect(describeCode(writeByAmount(contracts))).toEqual(describeCode(writeByTin(contracts)))
      }),
    )
  })

  it('says the same of a plan whose files repeat each other', () => {
    fc.assert(
      fc.property(
        fc
          .array(anyContract, { minLength: 1, maxLength: 40 })
          .chain((contracts) => fc.tuple(fc.constant(contracts), fc.subarray(contracts))),
        ([contracts, repeated]) => {
          const rows = writeByTin(contracts)
          const otherFile = repeated.map((one, index) => rowOf(one, `other-file-${index}`))
          expect(describeCode([...rows, ...otherFile])).toEqual(describeCode(rows))
        },
      ),
    )
  })

  it('says the same whatever the order of the rows', () => {
    fc.assert(
      fc.property(fc.array(anyContract, { minLength: 1, maxLength: 40 }), (contracts) => {
        expect(describeCode(writeByTin(contracts).toReversed())).toEqual(describeCode(writeByTin(contracts)))
      }),
    )
  })
})

describe('a median under another weight', () => {
  const contract = (tin: number, rate: number): Contract => ({ plan: 'Gold', tin, rate, setting: null, places: null })
  const find = (rows: readonly ResultRow[]) => findOtherMedian(groupPrices(rows, 'tins'), rows, ['prices', 'npis'])

  it('appears if it differs by more than a tenth', () => {
    const cheap = [1, 2, 3, 4, 5].map((tin) => rowOf(contract(tin, 100), 'one price for many'))
    const dear = (rate: number) => [6, 7, 8].map((tin) => rowOf(contract(tin, rate), `price-${tin}`))
    expect(find([...cheap, ...dear(111)])).toMatchObject({ weight: 'prices', median: 111, group: { plan: 'Gold' } })
    expect(find([...cheap, ...dear(110)])).toBeUndefined()
  })

  it('stays out if no other weight counts the rows', () => {
    expect(find([{ ...rowOf(contract(1, 100), ''), price_id: null, npi: 0n }])).toBeUndefined()
  })
})
