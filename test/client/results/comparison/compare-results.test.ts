import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Comparison, compareResults } from '../../../../client/results/comparison/compare-results.ts'
import { NotComparable } from '../../../../client/results/comparison/not-comparable.ts'
import { PriceIndex } from '../../../../client/results/comparison/price-index.ts'
import type { ResultRow } from '../../../../client/results/result-row.ts'
import { Decimal } from '../../../../parquet/decimal.ts'

/** Writes a row of a result. */
const row = (facts: ResultRow & { readonly key: string; readonly cents: number }): ResultRow => {
  const { key, cents, ...others } = facts
  return {
    price_key: key,
    negotiated_rate: new Decimal(BigInt(cents) * 100n, 4),
    payer: 'Acme',
    plan: 'Gold',
    billing_code_type: 'CPT',
    billing_code: '99213',
    name: 'Office visit',
    billing_code_modifier: null,
    rate_unit: 'usd',
    tin_value: '001234567',
    tin_business_name: null,
    provider_name: null,
    last_updated_on: null,
    flags: null,
    ...others,
  }
}

const compare = (older: readonly ResultRow[], newer: readonly ResultRow[]) => compareResults([older], [newer])

const compareOne = async (older: readonly ResultRow[], newer: readonly ResultRow[]) =>
  (await compare(older, newer)).changes[0] ?? expect.fail('nothing changed')

/** A price as the naive comparison holds it. */
interface Naive {
  readonly plan: string
  readonly key: string
  readonly code: string
  readonly cents: number
  readonly isDoubtful: boolean
}

const median = (values: readonly number[]) => {
  const ascending = values.toSorted((a, b) => a - b)
  return ascending[Math.max(0, Math.ceil(ascending.length / 2) - 1)] ?? null
}

/** Compares prices by filters over lists, one price after the other. */
function compareNaively(older: readonly Naive[], newer: readonly Naive[]) {
  const names = [...new Set([...older, ...newer].map(({ plan, key }) => `${plan} ${key}`))]
  const prices = names.map((name) => {
    const rowsOf = (side: readonly Naive[]) => side.filter(({ plan, key }) => `${plan} ${key}` === name)
    const amountsOf = (side: readonly Naive[]) =>
      [...new Set(rowsOf(side).map(({ cents }) => cents))].sort((a, b) => a - b)
    const [before, after] = [amountsOf(older), amountsOf(newer)]
    const isEqual = before.join() === after.join()
    const [old = 0, now = 0] = [before[0], after[0]]
    const isPair = before.length === 1 && after.length === 1 && old !== 0
    const isInBoth = before.length > 0 && after.length > 0
    const isDoubtful = [...rowsOf(older), ...rowsOf(newer)].some((each) => each.isDoubtful)
    const pairRatio = isPair ? (now - old) / old : undefined
    return {
      name,
      plan: name.split(' ')[0],
      isInBoth,
      isEqual,
      isDoubtful,
      isAdded: before.length === 0,
      ratio: isInBoth && isEqual ? 0 : pairRatio,
    }
  })
  const figuresOf = (some: typeof prices) => {
    const both = some.filter(({ isInBoth }) => isInBoth)
    const changed = both.filter(({ isEqual }) => !isEqual)
    const ratios = both.flatMap(({ ratio, isDoubtful }) => (ratio === undefined || isDoubtful ? [] : [ratio]))
    const percentOf = (ratio: number | null) => (ratio === null ? null : Math.round(ratio * 10_000) / 100 + 0)
    return {
      changed: changed.length,
      unchanged: both.length - changed.length,
      added: some.filter(({ isInBoth, isAdded }) => !isInBoth && isAdded).length,
      removed: some.filter(({ isInBoth, isAdded }) => !isInBoth && !isAdded).length,
      doubtful: changed.filter(({ isDoubtful }) => isDoubtful).length,
      unmeasured: changed.filter(({ ratio, isDoubtful }) => ratio === undefined && !isDoubtful).length,
      median_percent: percentOf(median(ratios)),
      median_percent_of_changed: percentOf(median(ratios.filter((ratio) => ratio !== 0))),
    }
  }
  const plans = [...new Set(prices.map(({ plan }) => plan))].sort()
  return {
    total: figuresOf(prices),
    plans: plans.map((plan) => ({ plan, ...figuresOf(prices.filter((price) => price.plan === plan)) })),
    changed: prices.filter(({ isInBoth, isEqual }) => !isInBoth || !isEqual).map(({ name }) => name),
  }
}

const anyPrice = fc.record({
  plan: fc.constantFrom('Gold', 'Silver'),
  key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'),
  code: fc.constant('99213'),
  cents: fc.constantFrom(0, 100, 150, 200, 215),
  isDoubtful: fc.boolean(),
})

const anyResult = fc.array(anyPrice, { maxLength: 25 })

const rowsOf = (prices: readonly Naive[]) =>
  prices.map(({ plan, key, code, cents, isDoubtful }) =>
    row({ plan, key, cents, billing_code: code, flags: isDoubtful ? ['expired', 'placeholder'] : ['expired'] }),
  )

const nameOf = ({ plan, price_key: key }: Comparison['changes'][number]) => `${plan} ${key}`

describe('the comparison of two results', () => {
  it('equals a naive comparison of every price of a plan that both results have', async () => {
    await fc.assert(
      fc.asyncProperty(anyResult, anyResult, async (older, newer) => {
        const gold = { plan: 'Gold', key: 'always', code: '99213', cents: 100, isDoubtful: false }
        const [before, after] = [
          [gold, ...older],
          [...newer, gold],
        ]
        const comparison = await compare(rowsOf(before), rowsOf(after))
        const naive = compareNaively(before, after)
        expect(comparison.matched_by).toBe('plan')
        expect(comparison.total).toEqual(naive.total)
        expect(comparison.plans.map(({ payer: _, published: __, ...figures }) => figures)).toEqual(naive.plans)
        expect(comparison.changes.map(nameOf).sort()).toEqual(naive.changed.sort())
      }),
    )
  })

  it('does not depend on the order of rows and blocks', async () => {
    await fc.assert(
      fc.asyncProperty(anyResult, anyResult, async (older, newer) => {
        const [before, after] = [rowsOf(older), rowsOf(newer)]
        const inBlocks = await compareResults(
          before.toReversed().map((each) => [each]),
          after.toReversed().map((each) => [each]),
        )
        expect(inBlocks).toEqual(await compare(before, after))
      }),
      { numRuns: 50 },
    )
  })

  it('finds no change between a result and itself, and swaps added and removed prices with the results', async () => {
    await fc.assert(
      fc.asyncProperty(anyResult, anyResult, async (older, newer) => {
        const [before, after] = [rowsOf(older), rowsOf(newer)]
        expect((await compare(before, before)).changes).toEqual([])
        const [there, back] = [await compare(before, after), await compare(after, before)]
        expect([there.total.added, there.total.removed, there.total.changed]).toEqual([
          back.total.removed,
          back.total.added,
          back.total.changed,
        ])
      }),
      { numRuns: 50 },
    )
  })

  it('puts the biggest relative change first, then changes without one, added and removed prices', async () => {
    const price = (key: string, cents: number, flags: readonly string[] | null = null) => row({ key, cents, flags })
    const { changes } = await compare(
      [
        ...[price('up', 100), price('down', 100), price('small', 100), price('zero', 0), price('removed', 5)],
        ...[price('several', 1), price('several', 2), price('doubtful', 100)],
      ],
      [
        ...[price('up', 140), price('down', 30), price('small', 101), price('zero', 7), price('added', 5)],
        ...[price('several', 3), price('doubtful', 90_000, ['outlier_high'])],
      ],
    )
    expect(changes.map(({ price_key: key, percent, remark }) => [key, percent, remark])).toEqual([
      ['down', -70, null],
      ['up', 40, null],
      ['small', 1, null],
      ['doubtful', 89_900, 'doubtful'],
      ['several', null, 'several amounts'],
      ['zero', null, 'from zero'],
      ['added', null, null],
      ['removed', null, null],
    ])
  })

  it('tells plans apart that share the networks and so the keys of their prices', async () => {
    const prices = (gold: number, silver: number) => [
      row({ key: 'shared', plan: 'Gold', cents: gold }),
      row({ key: 'shared', plan: 'Silver', cents: silver }),
    ]
    const { changes, plans } = await compare(prices(10_000, 20_000), prices(10_800, 20_600))
    expect(changes.map(({ plan, percent }) => [plan, percent])).toEqual([
      ['Gold', 8],
      ['Silver', 3],
    ])
    expect(plans.map(({ plan, median_percent: percent }) => [plan, percent])).toEqual([
      ['Gold', 8],
      ['Silver', 3],
    ])
  })

  it('matches by key alone, without the names of plans, if no plan is in both results', async () => {
    const older = [
      row({ key: 'shared', plan: 'Gold 2025', cents: 100 }),
      row({ key: 'shared', plan: 'Blue', cents: 100 }),
    ]
    const comparison = await compare(older, [row({ key: 'shared', plan: 'Gold 2026', cents: 150 })])
    expect(comparison).toMatchObject({ matched_by: 'key', plans: [], total: { changed: 1, added: 0, removed: 0 } })
    expect(comparison.changes).toMatchObject([{ plan: null, payer: null, percent: 50 }])
  })

  it('matches by plan if neither a plan nor a key is in both results', async () => {
    const comparison = await compare(
      [row({ key: 'a', plan: 'Gold', cents: 1 })],
      [row({ key: 'b', plan: 'Blue', cents: 1 })],
    )
    expect(comparison).toMatchObject({ matched_by: 'plan', total: { added: 1, removed: 1 } })
    expect(comparison.plans).toHaveLength(2)
  })

  it('names the business of a TIN, and otherwise a provider', async () => {
    const name = async (...names: readonly ResultRow[]) => {
      const prices = names.map((each) => row({ key: 'a', cents: 100, ...each }))
      return (await compareOne(prices, [row({ key: 'a', cents: 200 })])).provider
    }
    expect(await name({})).toBeNull()
    expect(await name({ provider_name: 'ANNA OKAFOR' })).toBe('ANNA OKAFOR')
    expect(await name({ provider_name: 'ANNA OKAFOR' }, { provider_name: 'ANNA OKAFOR' })).toBe('ANNA OKAFOR')
    expect(await name({ provider_name: 'ANNA OKAFOR' }, { provider_name: 'LI WEI' })).toBe('ANNA OKAFOR and others')
    expect(await name({ provider_name: 'A' }, { tin_business_name: 'COAST RADIOLOGY' })).toBe('COAST RADIOLOGY')
  })

  it('states the dates of publication of both results', async () => {
    const price = (day: string, cents: number) => row({ key: 'a', cents, last_updated_on: new Date(day) })
    const { published, plans } = await compare(
      [price('2026-10-01', 1)],
      [price('2026-11-02', 2), price('2026-11-01', 2)],
    )
    expect(published).toEqual({ old: ['2026-10-01', '2026-10-01'], new: ['2026-11-01', '2026-11-02'] })
    expect(plans[0]?.published).toEqual(published)
  })

  it('compares exactly amounts that a double does not tell apart', async () => {
    const price = (digits: bigint) => ({ ...row({ key: 'a', cents: 0 }), negotiated_rate: new Decimal(digits, 4) })
    const change = await compareOne([price(999_999_999_999_999_998n)], [price(999_999_999_999_999_999n)])
    expect([change.old.join(), change.new.join()]).toEqual(['99999999999999.9998', '99999999999999.9999'])
    expect(change.percent).toBe(0)
  })

  it('measures a change from a negative amount by its size', async () => {
    expect(await compareOne([row({ key: 'a', cents: -100 })], [row({ key: 'a', cents: -50 })])).toMatchObject({
      percent: 50,
    })
  })

  it('refuses a result without keys or amounts, and names it', async () => {
    const good = row({ key: 'a', cents: 1 })
    await expect(compare([{ ...good, price_key: undefined }], [good])).rejects.toThrow(NotComparable)
    await expect(compare([good], [{ ...good, price_key: null }])).rejects.toThrow('the newer result has a row without')
    await expect(compare([{ ...good, negotiated_rate: null }], [good])).rejects.toThrow('negotiated_rate null')
  })

  it('refuses more prices than memory may hold', async () => {
    const index = new PriceIndex(2)
    await index.add('old', [[row({ key: 'a', cents: 1 }), row({ key: 'b', cents: 1 }), row({ key: 'b', cents: 2 })]])
    const third = [[row({ key: 'c', cents: 1 })]]
    await expect(index.add('new', third)).rejects.toThrow('more than 2 prices, which memory may not hold')
  })
})
