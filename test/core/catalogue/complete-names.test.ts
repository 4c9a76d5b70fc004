import { describe, expect, it } from 'vitest'
import type { CatalogueEntry } from '../../../core/catalogue/catalogue-entry.ts'
import type { NamePlace, NameQuery } from '../../../core/catalogue/complete-names.ts'
import { completeNames, maxExaminedNames } from '../../../core/catalogue/complete-names.ts'
import type { FeeSchedule } from '../../../core/catalogue/fee-schedule.ts'
import { newAmbiguousEntry, newEntry, newRelationEntry } from '../../builders/sample-search.ts'
import { createMemoryCatalogue } from '../../doubles/memory-catalogue.ts'

const variants = (payer: string, plan: string, count: number) =>
  Array.from({ length: count }, (_, index) =>
    newEntry({ payer, plan: `${plan} (EIN ${100_000_000 + index})`, variantOf: plan }),
  )

/** The names on each page, as `payer/plan`. */
async function readPages(entries: readonly CatalogueEntry[], query: Omit<NameQuery, 'after'>) {
  const catalogue = createMemoryCatalogue(entries)
  const pages: (readonly string[])[] = []
  let after: NamePlace | undefined
  do {
    const { items, next } = await completeNames(catalogue, { ...query, ...(after && { after }) })
    pages.push(items.map(({ payer, plan }: FeeSchedule) => `${payer}/${plan}`))
    after = next
  } while (after !== undefined)
  return pages
}

describe('names that begin with a text', () => {
  const entries = [
    newEntry({ payer: 'Blue Harbor', plan: 'Gold' }),
    newEntry({ payer: 'Blue Harbor', plan: 'Blue Basic' }),
    newEntry({ payer: 'Summit', plan: 'BLUE Choice' }),
    newEntry({ payer: 'Summit', plan: 'Choice Blue' }),
    newRelationEntry({ payer: 'Sea', plan: 'Bluest' }),
  ]

  it.each([1, 2, 3, 4, 5, 100])(
    'are payers first, then plans of other payers, each once, %i per page',
    async (limit) => {
      const pages = await readPages(entries, { q: ' bLUE', limit })
      expect(pages.flat()).toEqual(['Blue Harbor/Blue Basic', 'Blue Harbor/Gold', 'Summit/BLUE Choice', 'Sea/Bluest'])
      expect(pages).toHaveLength(Math.ceil(4 / limit))
    },
  )

  it('are plans of one payer if the query names it', async () => {
    expect(await readPages(entries, { q: 'b', payer: 'Blue Harbor', limit: 10 })).toEqual([['Blue Harbor/Blue Basic']])
    expect(await readPages(entries, { q: 'b', payer: 'blue harbor', limit: 10 })).toEqual([[]])
  })

  it('do not exist if nothing begins with it', async () => {
    expect(await readPages(entries, { q: 'choice b', limit: 1 })).toEqual([['Summit/Choice Blue']])
    expect(await readPages(entries, { q: 'harbor', limit: 10 })).toEqual([[]])
  })

  it.each([1, 3, 7, 100])(
    'include the variants of an ambiguous name instead of the name, %i per page',
    async (limit) => {
      const many = [
        newEntry({ payer: 'A', plan: 'PPO' }),
        ...variants('A', 'PPO', 300),
        newAmbiguousEntry({ payer: 'B', plan: 'PPO' }),
        ...variants('B', 'PPO', 5),
        newEntry({ payer: 'C', plan: 'PPO (Ohio)' }),
      ]
      const expected = ['A/PPO', ...variants('B', 'PPO', 5).map(({ plan }) => `B/${plan}`), 'C/PPO (Ohio)']
      expect((await readPages(many, { q: 'ppo', limit })).flat()).toEqual(expected)
      expect((await readPages(many, { q: 'ppo (ein 100000003', limit })).flat()).toEqual(['B/PPO (EIN 100000003)'])
      expect((await readPages(many, { q: 'PPO (o', limit })).flat()).toEqual(['C/PPO (Ohio)'])
    },
  )

  it.each([
    ['ppo (ein 100004', 'PPO (EIN 100004', 1000],
    ['PPO (ein 100000003)', 'PPO (EIN 100000003', 1],
    ['ppo (hios 1', 'PPO (HIOS 1', 0],
    ['ppo (n', 'PPO (no plan id)', 1],
  ])('that are ids of an ambiguous name, such as "%s", are found without reading all ids', async (q, start, count) => {
    const entries = [
      newAmbiguousEntry({ payer: 'A', plan: 'PPO' }),
      ...variants('A', 'PPO', 6000),
      newAmbiguousEntry({ payer: 'A', plan: 'PPO Plus' }),
    ]
    const catalogue = createMemoryCatalogue([
      ...entries,
      ...variants('A', 'PPO Plus', 500),
      newEntry({ payer: 'A', plan: 'PPO (no plan id)', variantOf: 'PPO' }),
    ])
    let read = 0
    const counted = {
      ...catalogue,
      listVariants: async (...args: Parameters<typeof catalogue.listVariants>) => {
        const found = await catalogue.listVariants(...args)
        read += found.length
        return found
      },
    }
    const { items } = await completeNames(counted, { q, limit: 1000 })
    expect(items).toHaveLength(count)
    for (const { plan } of items) expect(plan.startsWith(start)).toBe(true)
    // `(no plan id)` comes after all ids.
    if (!q.endsWith('(n')) expect(read).toBeLessThan(count + 250)
  })

  it('take at most a thousand names per page, even if few of them are shown', async () => {
    const many = [
      ...Array.from({ length: maxExaminedNames + 300 }, (_, index) =>
        newEntry({ payer: 'Blue', plan: `Blue ${index}` }),
      ),
      newEntry({ payer: 'Summit', plan: 'Blue Z' }),
    ]
    const pages = await readPages(many, { q: 'blue', limit: 1000 })
    expect(pages.map((page) => page.length)).toEqual([1000, 300, 1])
    expect(pages.flat().at(-1)).toBe('Summit/Blue Z')
    expect(new Set(pages.flat()).size).toBe(maxExaminedNames + 301)
  })
})
