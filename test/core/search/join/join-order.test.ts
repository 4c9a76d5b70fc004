import { describe, expect, it } from 'vitest'
import type { ContentFigures } from '../../../../core/catalogue/content.ts'
import { openLoadedRates } from '../../../../core/rates/loaded-rates.ts'
import { arePricesBuilt, type JoinSize, sumJoinSize } from '../../../../core/search/join/join-order.ts'
import type { SearchRequest } from '../../../../core/search/search-request.ts'
import { selectStatement } from '../../../../core/search/statement.ts'
import { newContent } from '../../../builders/sample-search.ts'
import { createMemoryCatalogue } from '../../../doubles/memory-catalogue.ts'
import { createMemoryContents } from '../../../doubles/memory-contents.ts'

const feeSchedules = [{ payer: 'Acme', plan: 'Gold' }]
const numbers = (count: number) => Array.from({ length: count }, (_, index) => 1_000_000_000 + index)
const texts = (count: number) => numbers(count).map(String)

/** A file with few prices and many providers, and one with many prices and few providers. */
const manyProviders: JoinSize = { pairs: 1_000_000, groupRows: 10_000_000, codes: 20_000, npis: 100_000 }
const manyPrices: JoinSize = { pairs: 10_000_000, groupRows: 1_000_000, codes: 20_000, npis: 100_000 }

const builds = (lists: Partial<SearchRequest>, size?: JoinSize) =>
  arePricesBuilt({ feeSchedules, ...lists }, size) ? 'prices' : 'groups'

describe('the side of the join that is built', () => {
  it.each<[string, Partial<SearchRequest>]>([
    ['no list', {}],
    ['many codes', { billingCodes: texts(20_000) }],
    ['many NPIs', { npis: numbers(100_000) }],
    ['many NPIs and many codes', { npis: numbers(10_000), billingCodes: texts(2_000) }],
    ['few NPIs and few codes', { npis: numbers(100), billingCodes: texts(20) }],
  ])('follows from the rows of the contents if the request has %s', (_, lists) => {
    expect(builds(lists, manyProviders)).toBe('prices')
    expect(builds(lists, manyPrices)).toBe('groups')
    expect(builds(lists)).toBe('groups')
  })

  it('follows from the share of rows that each list leaves', () => {
    expect(builds({ billingCodes: texts(201) }, manyPrices)).toBe('prices')
    expect(builds({ billingCodes: texts(2_000) }, manyPrices)).toBe('groups')
    expect(builds({ npis: numbers(101) }, manyProviders)).toBe('groups')
    expect(builds({ npis: numbers(50_000) }, manyProviders)).toBe('prices')
    expect(builds({}, { ...manyPrices, groupRows: 19_000_000 })).toBe('groups')
    expect(builds({}, { ...manyPrices, groupRows: 20_000_000 })).toBe('prices')
  })

  it.each<[string, Partial<SearchRequest>, string]>([
    ['one NPI', { npis: numbers(1) }, 'groups'],
    ['one TIN', { tins: ['123456789'] }, 'groups'],
    ['few codes', { billingCodes: texts(200) }, 'prices'],
    ['few codes and many NPIs', { billingCodes: texts(200), npis: numbers(101) }, 'prices'],
  ])('follows from %s alone, whatever rows the contents have', (_, lists, side) => {
    for (const size of [undefined, manyProviders, manyPrices]) expect(builds(lists, size)).toBe(side)
  })

  it('stays that of provider groups if nothing tells how many rows a list leaves', () => {
    for (const lists of [{ tins: texts(101) }, { providers: { states: ['TX'] } }, { tins: ['1'], billingCodes: ['1'] }])
      expect(builds(lists, manyProviders)).toBe('groups')
  })
})

describe('the size of a join', () => {
  const figures = { rates: 1, codes: 40, npis: 10, prices: 2, pairs: 6, groupRows: 5 }
  const content = { contentId: 'c1', sourcesKey: 'one', figures, sourceCount: 2 }

  it('counts the pairs of each set of sources once, and provider groups for each fee schedule', () => {
    const sameSources = { ...content, contentId: 'c2' }
    const others = { ...content, contentId: 'c3', sourcesKey: 'two', sourceCount: 6 }
    const size = sumJoinSize([content, sameSources, others], ['c1', 'c2', 'c1', 'c3'])
    expect(size).toEqual({ pairs: 12, groupRows: 20, codes: 10, npis: 2.5 })
  })

  it('stays unknown if an earlier version wrote one of the sources', () => {
    const former = { ...content, contentId: 'c2', sourcesKey: 'two', figures: { rates: 1, codes: 1, npis: 1 } }
    expect(sumJoinSize([content, former], ['c1', 'c2'])).toBeUndefined()
  })

  it('comes from the summaries of contents, and decides the order in the statement', async () => {
    const contents = createMemoryContents()
    const rates = openLoadedRates({ catalogue: createMemoryCatalogue(), contents, now: () => new Date() })
    const orderOf = async (contentId: string, rows: Partial<ContentFigures>) => {
      await contents.putContent({ ...newContent(contentId), figures: { rates: 1, codes: 1, npis: 1, ...rows } })
      const read = await rates.readScope({ contents: [contentId] }, feeSchedules, 's3://rates/')
      if ('failure' in read) throw new Error(read.failure.sentence)
      const statement = selectStatement({ feeSchedules }, read.scope)
      return statement.lastIndexOf(') AS negotiated_rates') < statement.lastIndexOf(') AS provider_groups')
        ? 'builds groups'
        : 'builds prices'
    }
    expect(await orderOf('c1', { pairs: 1, groupRows: 100 })).toBe('builds prices')
    expect(await orderOf('c2', { pairs: 100, groupRows: 1 })).toBe('builds groups')
    expect(await orderOf('c3', {})).toBe('builds groups')
  })
})
