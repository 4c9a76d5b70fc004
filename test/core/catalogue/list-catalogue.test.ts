import { describe, expect, it } from 'vitest'
import type { CatalogueEntry } from '../../../core/catalogue/catalogue-entry.ts'
import type { FeeSchedule } from '../../../core/catalogue/fee-schedule.ts'
import { listSearchable, maxExaminedEntries } from '../../../core/catalogue/list-catalogue.ts'
import { newEntry } from '../../builders/sample-search.ts'
import { createMemoryCatalogue } from '../../doubles/memory-catalogue.ts'

const payer = 'Harbor Health'
const variantsOf = (plan: string, count: number) =>
  Array.from({ length: count }, (_, index) =>
    newEntry({ payer, plan: `${plan} (EIN ${100_000_000 + index})`, variantOf: plan }),
  )
const ambiguous = (plan: string): CatalogueEntry => ({
  ...newEntry({ payer, plan }),
  state: { status: 'ambiguous', variants: 2 },
})

/** Reads all pages, each with the number of entries and of names that it read. */
async function readPages(entries: readonly CatalogueEntry[], limit: number) {
  const catalogue = createMemoryCatalogue(entries)
  const pages: { readonly plans: readonly string[]; readonly read: number; readonly found: number }[] = []
  let after: FeeSchedule | undefined
  do {
    const page = { read: 0, found: 0 }
    const { items, next } = await listSearchable(
      {
        list: async (query) => {
          const read = await catalogue.list(query)
          page.read += read.items.length
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

describe('a page of fee schedules', () => {
  it('reads at most ten thousand entries of a name that employers share', async () => {
    const entries = [
      newEntry({ payer, plan: 'Choice' }),
      ...variantsOf('Choice', 25_000),
      newEntry({ payer, plan: 'X' }),
    ]
    const pages = await readPages(entries, 10)
    expect(pages.flatMap(({ plans }) => plans)).toEqual(['Choice', 'X'])
    expect(pages.map(({ read }) => read)).toEqual([maxExaminedEntries, maxExaminedEntries, 5002])
  })

  it('looks up only the names that come before it', async () => {
    const entries = Array.from({ length: 500 }, (_, index) => {
      const plan = `Plan ${1000 + index}`
      return [index % 2 === 0 ? newEntry({ payer, plan }) : ambiguous(plan), ...variantsOf(plan, 2)]
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
