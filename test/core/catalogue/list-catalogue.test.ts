import { describe, expect, it } from 'vitest'
import type { CatalogueEntry } from '../../../core/catalogue/catalogue-entry.ts'
import type { FeeSchedule } from '../../../core/catalogue/fee-schedule.ts'
import { listAll, listSearchable, maxExaminedEntries } from '../../../core/catalogue/list-catalogue.ts'
import { newAmbiguousEntry, newEntry } from '../../builders/sample-search.ts'
import { createMemoryCatalogue } from '../../doubles/memory-catalogue.ts'

const payer = 'Harbor Health'
const variantsOf = (plan: string, count: number) =>
  Array.from({ length: count }, (_, index) =>
    newEntry({ payer, plan: `${plan} (EIN ${100_000_000 + index})`, variantOf: plan }),
  )

/** Reads all pages, each with the sizes of its reads and the number of names that it looked up. */
async function readPages(entries: readonly CatalogueEntry[], limit: number) {
  const catalogue = createMemoryCatalogue(entries)
  const pages: { readonly plans: readonly string[]; readonly reads: readonly number[]; readonly found: number }[] = []
  let after: FeeSchedule | undefined
  do {
    const page: { readonly reads: number[]; found: number } = { reads: [], found: 0 }
    const { items, next } = await listSearchable(
      {
        list: async (query) => {
          const read = await catalogue.list(query)
          page.reads.push(read.items.length)
          return read
        },
        find: async (names) => {
          page.found += names.length
          return catalogue.find(names)
        },
      },
      { limit, ...(after && { after }) },
    )
    pages.push({ plans: items.map(({ plan }) => plan), ...page })
    after = next
  } while (after !== undefined)
  return pages
}

describe('all entries of a catalogue', () => {
  const named = (count: number, of: string) =>
    Array.from({ length: count }, (_, index) => newEntry({ payer: of, plan: `Plan ${10_000 + index}` }))
  const entries = [...named(2001, 'A'), newAmbiguousEntry({ payer, plan: 'B' }), ...named(1, 'Z')]

  it('reads every page, ambiguous names included', async () => {
    const catalogue = createMemoryCatalogue(entries)
    expect(await listAll(catalogue)).toEqual(entries)
    expect(catalogue.asked.lists).toBe(3)
  })

  it('can be those of one payer', async () => {
    expect(await listAll(createMemoryCatalogue(entries), 'A')).toEqual(entries.slice(0, 2001))
  })
})

describe('a page of fee schedules', () => {
  it('reads a full page at once, and ends if nothing follows', async () => {
    const entries = Array.from({ length: 200 }, (_, index) => newEntry({ payer, plan: `Plan ${1000 + index}` }))
    expect((await readPages(entries, 150)).map(({ reads }) => reads)).toEqual([[151], [50]])
    expect((await readPages(entries, 100)).map(({ plans }) => plans.length)).toEqual([100, 100])
    expect((await readPages(entries, 200)).map(({ reads }) => reads)).toEqual([[200]])
  })

  it('reads a hundred entries at first, because some may be left out', async () => {
    const entries = [newEntry({ payer, plan: 'A' }), ...variantsOf('A', 90), newEntry({ payer, plan: 'B' })]
    expect(await readPages(entries, 1)).toMatchObject([
      { plans: ['A'], reads: [92] },
      { plans: ['B'], reads: [91] },
    ])
  })

  it('reads at most ten thousand entries of a name that employers share', async () => {
    const entries = [
      newEntry({ payer, plan: 'Choice' }),
      ...variantsOf('Choice', 25_000),
      newEntry({ payer, plan: 'X' }),
    ]
    const pages = await readPages(entries, 10)
    expect(pages.flatMap(({ plans }) => plans)).toEqual(['Choice', 'X'])
    const sums = pages.map(({ reads }) => reads.reduce((sum, read) => sum + read, 0))
    expect(sums).toEqual([maxExaminedEntries, maxExaminedEntries, 5002])
    expect(Math.max(...pages.flatMap(({ reads }) => reads))).toBe(1000)
  })

  it('looks up only the names that come before it', async () => {
    const entries = Array.from({ length: 500 }, (_, index) => {
      const plan = `Plan ${1000 + index}`
      return [index % 2 === 0 ? newEntry({ payer, plan }) : newAmbiguousEntry({ payer, plan }), ...variantsOf(plan, 2)]
    }).flat()
    const pages = await readPages(entries, 100)
    const expected = entries.filter(({ plan, variantOf, state }) =>
      variantOf === undefined ? state.status === 'active' : Number(plan.slice(5, 9)) % 2 === 1,
    )
    expect(pages.flatMap(({ plans }) => plans)).toEqual(expected.map(({ plan }) => plan))
    // A page can begin among the variants of a name.
    for (const { found } of pages) expect(found).toBeLessThanOrEqual(1)
  })
})
