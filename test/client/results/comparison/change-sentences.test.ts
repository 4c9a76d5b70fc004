import { describe, expect, it } from 'vitest'
import { formatPercent } from '../../../../client/results/comparison/change-notes.ts'
import {
  describeBriefly,
  describeComparison,
  orderPlans,
} from '../../../../client/results/comparison/change-sentences.ts'
import { compareResults } from '../../../../client/results/comparison/compare-results.ts'
import type { ResultRow } from '../../../../client/results/result-row.ts'
import { writeSentence } from '../../../../client/results/sentence.ts'
import { Decimal } from '../../../../parquet/decimal.ts'

interface Facts {
  readonly plan?: string
  readonly payer?: string
  readonly day?: string
  readonly flags?: readonly string[]
}

/** Writes rows of prices, of which the first has the key 0. */
const prices = (amounts: readonly number[], { plan = 'Gold', payer = 'Acme', day = '', flags = [] }: Facts = {}) =>
  amounts.map(
    (amount, index): ResultRow => ({
      ...{ price_key: String(index), negotiated_rate: new Decimal(BigInt(amount), 0), payer, plan, flags },
      ...{ billing_code: '99213', last_updated_on: day === '' ? null : new Date(day) },
    }),
  )

async function describeChanges(older: readonly ResultRow[], newer: readonly ResultRow[]): Promise<readonly string[]> {
  const { lead, notes } = describeComparison(await compareResults([older], [newer]))
  return [lead, ...notes].map((sentence) => writeSentence(sentence).replaceAll('\u00a0', ' '))
}

const [october, november] = [{ day: '2026-10-01' }, { day: '2026-11-01' }]

describe('the sentence about two results', () => {
  it('says by how much the prices of a plan rose or fell that both have, and counts others apart', async () => {
    expect(await describeChanges(prices([100, 100, 200], october), prices([108, 108, 200, 7], november))).toEqual([
      'From October 2026 to November 2026, the prices of Gold rose by 8 % in the median: 2 of 3 changed.',
      '1 price was added; the median leaves it out.',
    ])
    expect(await describeChanges(prices([100, 100, 9, 9]), prices([97, 97]))).toEqual([
      'The prices of Gold fell by 3 % in the median: 2 of 2 changed.',
      '2 prices were removed; the median leaves them out.',
    ])
  })

  it('says so if prices have other keys because a TIN or code has got its leading zeros', async () => {
    const of = (price_key: string, tin_value: string, billing_code: string): ResultRow => ({
      ...{ price_key, negotiated_rate: new Decimal(1n, 0), payer: 'Acme', plan: 'Gold', flags: [], tin_value },
      ...{ billing_code_type: 'CPT', billing_code, last_updated_on: null },
    })
    const older = [of('0', '12345678', '99213'), of('1', '112345678', '100'), of('2', '22345678', '99213')]
    const newer = [of('3', '012345678', '99213'), of('4', '112345678', '00100'), of('5', '112345678', '99213')]
    const sentence =
      '2 prices of the older result lack leading zeros of a TIN or code that the newer one has, so they count as removed and added: load that month again to compare.'
    expect(await describeChanges(older, newer)).toContain(sentence)
    expect(await describeChanges(newer, older)).not.toContain(sentence)
  })

  it('says so if half of the prices or more did not change', async () => {
    expect(await describeChanges(prices([100, 100, 100]), prices([110, 100, 100]))).toEqual([
      'Most of the prices of Gold did not change: 1 of 3 changed, by +10 % in the median.',
    ])
    expect(await describeChanges(prices([100, 100]), prices([110, 100]))).toEqual([
      'Half of the prices of Gold did not change: 1 of 2 changed, by +10 % in the median.',
    ])
    expect(await describeChanges(prices([100, 100, 100]), prices([110, 90, 100]))).toEqual([
      'The prices of Gold changed by 0 % in the median: 2 of 3 changed.',
    ])
  })

  it('counts the changes in no median beside a median of 0 %, which they would contradict', async () => {
    const flags = ['outlier_high']
    const write = (amounts: readonly number[], plan: string) => [
      ...prices(amounts, { plan }),
      ...prices([...amounts, amounts[1] ?? 0], { plan, flags }).slice(amounts.length),
    ]
    const [older, newer] = [write([100, 100, 0], 'Gold'), write([100, 110, 5], 'Gold')]
    expect((await describeChanges(older, newer))[0]).toBe(
      'The prices of Gold changed by 0 % in the median: 3 of 4 changed, 2 of them in no median.',
    )
    const [silverOlder, silverNewer] = [write([100, 100, 0], 'Silver'), write([100, 110, 5], 'Silver')]
    expect((await describeChanges([...older, ...silverOlder], [...newer, ...silverNewer]))[0]).toBe(
      'The median change is 0 % in each of 2 plans: 6 of 8 prices changed, 4 of them in no median.',
    )
  })

  it('says so if no price changed', async () => {
    expect(await describeChanges(prices([1, 2]), prices([1, 2]))).toEqual([
      'The prices of Gold did not change: all 2 are equal.',
    ])
    expect(await describeChanges(prices([1]), prices([1]))).toEqual([
      'The prices of Gold did not change: the only one is equal.',
    ])
  })

  it('states the median of each of a few plans, the highest first', async () => {
    const silver = { plan: 'Silver' }
    const older = [...prices([100, 100]), ...prices([100], silver)]
    expect(await describeChanges(older, [...prices([103, 103]), ...prices([108], silver)])).toEqual([
      'The median change is +8 % in Silver and +3 % in Gold: 3 of 3 prices changed.',
    ])
    expect(await describeChanges(older, [...prices([108, 108]), ...prices([108], silver)])).toEqual([
      'The median change is +8 % in each of 2 plans: 3 of 3 prices changed.',
    ])
    expect(await describeChanges(older, older)).toEqual(['None of the 3 prices of 2 plans changed.'])
    expect(await describeChanges(older, [...prices([108, 100]), ...prices([100], silver)])).toEqual([
      'Most prices did not change: 1 of 3 did, with a median change of +8 % in Gold.',
    ])
  })

  it('names the plans with the highest and the lowest median if there are many', async () => {
    const plans = ['A', 'B', 'C', 'D']
    const older = plans.flatMap((plan) => prices([100], { plan }))
    const newer = plans.flatMap((plan, index) => prices([100 + index], { plan }))
    expect(await describeChanges(older, newer)).toEqual([
      'The median change is between 0 % in A and +3 % in D: 3 of 4 prices changed.',
    ])
  })

  it('tells plans of the same name apart by their payers', async () => {
    const [acme, zenith] = [{ payer: 'Acme' }, { payer: 'Zenith' }]
    const older = [...prices([100], acme), ...prices([100], zenith)]
    expect(await describeChanges(older, [...prices([103], acme), ...prices([100], zenith)])).toEqual([
      'The median change is +3 % in Gold of Acme and 0 % in Gold of Zenith: 1 of 2 prices changed.',
    ])
  })

  it('does not make a plan that only one result has look like a change of price', async () => {
    expect(await describeChanges(prices([100]), [...prices([105]), ...prices([9, 9], { plan: 'Blue' })])).toEqual([
      'The prices of Gold rose by 5 % in the median: 1 of 1 changed.',
      '2 prices were added; the median leaves them out.',
      'Blue has prices in the newer result only.',
    ])
  })

  it('states no change if the results have no price in common, or none at all', async () => {
    expect(await describeChanges(prices([1]), [])).toEqual([
      'The two results have no price in common, so no change can be stated.',
      '1 price was removed; the median leaves it out.',
      'Gold has prices in the older result only.',
    ])
    expect(await describeChanges([], [])).toEqual(['Neither result has a price.'])
  })

  it('says so if prices are matched without plans', async () => {
    const [sentence, note] = await describeChanges(prices([100], { plan: '2025' }), prices([150], { plan: '2026' }))
    expect(sentence).toBe('The prices in both results rose by 50 % in the median: 1 of 1 changed.')
    expect(note).toMatch(/^No plan is in both results: prices are matched by price_key alone/)
  })

  it('counts the changes that the median leaves out', async () => {
    const doubtful = { flags: ['outlier_high'] }
    const older = [...prices([100]), ...prices([0, 0]).slice(1)]
    expect(await describeChanges(older, prices([100, 5]))).toEqual([
      'The prices of Gold changed, but by how much is unknown: 1 of 2 changed, and no amount can be paired.',
      '1 change with several amounts or from zero is not counted in the median.',
    ])
    expect(
      (await describeChanges(prices([100, 3]), [...prices([110]), ...prices([9, 9], doubtful).slice(1)])).at(-1),
    ).toBe('1 change of doubtful prices is not counted in the median.')
    const both = [...prices([0, 5]), ...prices([0, 0, 3, 3], doubtful).slice(2)]
    expect((await describeChanges(both, [...prices([9, 5]), ...prices([0, 0, 9, 9], doubtful).slice(2)])).at(-1)).toBe(
      '1 change with several amounts or from zero and 2 of doubtful prices are not counted in the median.',
    )
  })

  it('states days if both results are of one month, and says so if they are of one day', async () => {
    const [sentence] = await describeChanges(prices([1], november), prices([2], { day: '2026-11-15' }))
    expect(sentence).toMatch(/^From 2026-11-01 to 2026-11-15, the prices of Gold rose by 100 %/)
    expect(await describeChanges(prices([1], november), prices([1], november))).toContain(
      'Both results were published on 2026-11-01.',
    )
  })
})

describe('the short sentence after "what changed"', () => {
  const describeShort = async (older: readonly ResultRow[], newer: readonly ResultRow[]) =>
    writeSentence(describeBriefly(await compareResults([older], [newer]))).replaceAll('\u00a0', ' ')
  const silver = { plan: 'Silver' }

  it('counts the changed prices and states their median if most did not change', async () => {
    expect(await describeShort(prices([100, 100, 100], october), prices([110, 100, 100], november))).toBe(
      '1 of 3 prices, by a median of +10 %.',
    )
    const older = [...prices([100, 100]), ...prices([100, 100], silver)]
    expect(await describeShort(older, [...prices([103, 100]), ...prices([108, 100], silver)])).toBe(
      '2 of 4 prices, by a median of +8 % in Silver and +3 % in Gold.',
    )
  })

  it('repeats the words of the long sentence, without the months, if most prices changed or none did', async () => {
    expect(await describeShort(prices([100], october), prices([108], november))).toBe(
      'the prices of Gold rose by 8 % in the median: 1 of 1 changed.',
    )
    expect(await describeShort(prices([100]), prices([100]))).toBe(
      'the prices of Gold did not change: the only one is equal.',
    )
    expect(await describeShort([], [])).toBe('neither result has a price.')
  })
})

describe('the order of plans', () => {
  it('follows the sentence, which names the highest median first, and ends with plans of one result', async () => {
    const [silver, bronze] = [{ plan: 'Silver' }, { plan: 'Bronze' }]
    const older = [...prices([100, 100]), ...prices([100, 100], silver)]
    const newer = [...prices([103, 100]), ...prices([108, 100], silver), ...prices([1], bronze)]
    expect(orderPlans(await compareResults([older], [newer])).map(({ plan }) => plan)).toEqual([
      'Silver',
      'Gold',
      'Bronze',
    ])
  })
})

describe('a percentage', () => {
  it('shows its sign, and two digits after the point below 1 %', () => {
    expect(
      [8, -3.26, 0, 0.25, -0.004, 12.53, 1234.56].map((percent) => formatPercent(percent).replace('\u00a0', ' ')),
    ).toEqual(['+8 %', '−3.3 %', '0 %', '+0.25 %', '−0 %', '+12.5 %', '+1,235 %'])
  })
})
