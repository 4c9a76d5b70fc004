import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CatalogueEntry } from '../../../../core/catalogue/catalogue-entry.ts'
import type { FeeSchedule } from '../../../../core/catalogue/fee-schedule.ts'
import type { Catalogue } from '../../../../core/catalogue/ports.ts'
import { resolveFeeSchedules } from '../../../../core/catalogue/resolving/resolve-fee-schedules.ts'
import { openOwnRates } from '../../../../core/own-relation/own-rates.ts'
import type { SearchRequest } from '../../../../core/search/search-request.ts'
import { newAmbiguousEntry, newEntry, newRelationEntry } from '../../../builders/sample-search.ts'
import { createMemoryCatalogue } from '../../../doubles/memory-catalogue.ts'
import { createMemoryContents } from '../../../doubles/memory-contents.ts'

const entries = [
  newEntry({ payer: 'Acme Health', plan: 'Gold PPO', contentId: 'b' }),
  newEntry({ payer: 'Acme Health', plan: 'Silver PPO', contentId: 'c' }),
  newEntry({ payer: 'Zenith', plan: 'Basic', contentId: 'b' }),
]
const pair = (payer: string, plan: string): FeeSchedule => ({ payer, plan })

const contents = createMemoryContents()

const now = () => new Date('2026-11-23T09:00:00Z')

function resolve(
  feeSchedules: readonly FeeSchedule[],
  catalogue: Catalogue = createMemoryCatalogue(entries),
  request: Partial<SearchRequest> = {},
) {
  return resolveFeeSchedules({ catalogue, contents, now }, { ...request, feeSchedules })
}

async function sentenceOf(feeSchedules: readonly FeeSchedule[], known: readonly CatalogueEntry[] = entries) {
  const found = await resolve(feeSchedules, createMemoryCatalogue(known))
  return 'failure' in found ? found.failure : undefined
}

describe('known fee schedules', () => {
  it('read their own content each, in the order of the request', async () => {
    const asked = [pair('Zenith', 'Basic'), pair('Acme Health', 'Silver PPO'), pair('Acme Health', 'Gold PPO')]
    expect(await resolve(asked)).toEqual({ contents: ['b', 'c', 'b'] })
  })

  it("need no contents in an operator's own relation, and cannot be searched in the loader's", async () => {
    const catalogue = createMemoryCatalogue([newRelationEntry()])
    const asked = [pair('Acme Health', 'Gold PPO')]
    expect(await openOwnRates({ catalogue, now }, []).choose({ feeSchedules: asked })).toEqual({ contents: [] })
    expect(await resolve(asked, catalogue)).toMatchObject({ failure: { word: 'unsupported_fee_schedule' } })
  })

  it('need no listing of the catalogue', async () => {
    const catalogue = createMemoryCatalogue(entries)
    await resolve([pair('Zenith', 'Basic')], catalogue)
    expect(catalogue.asked.lists).toBe(0)
  })

  it('become unknown once they are removed', async () => {
    const removed: CatalogueEntry = { ...newEntry(), state: { status: 'removed' } }
    expect((await sentenceOf([pair('Acme Health', 'Gold PPO')], [removed]))?.word).toBe('unsupported_fee_schedule')
  })
})

describe('a name whose plan ids have different files', () => {
  const variants = Array.from({ length: 13 }, (_, index) =>
    newEntry({ plan: `PPO (EIN ${100000000 + index})`, variantOf: 'PPO', contentId: `content ${index}` }),
  )
  const name = newAmbiguousEntry({ plan: 'PPO' }, 13)
  const other = newEntry({ plan: 'PPO (Ohio)', contentId: 'ohio' })

  it('stays within the ten names of a message', async () => {
    const names = Array.from({ length: 200 }, (_, index) => newAmbiguousEntry({ plan: `Plan ${index}` }))
    const failure = await sentenceOf(names, names)
    expect(failure?.sentence.match(/"Plan \d+"/g)).toHaveLength(10)
    expect(failure?.sentence).toMatch(/; and 190 more names\.$/)
  })

  it('cannot be searched, and the error names ten of its variants and the number of others', async () => {
    const failure = await sentenceOf([pair('Acme Health', 'PPO')], [...variants, name, other])
    expect(failure?.word).toBe('ambiguous_fee_schedule')
    expect(failure?.sentence.match(/"PPO \(EIN \d+\)"/g)).toHaveLength(10)
    expect(failure?.sentence).toContain(', 3 more')
    expect(failure?.sentence).not.toContain('Ohio')
  })

  it('lists all of its variants if they are few, and otherwise as many as fit into ten', async () => {
    const named = (plan: string, count: number): readonly CatalogueEntry[] => [
      newAmbiguousEntry({ plan }, count),
      ...Array.from({ length: count }, (_, index) => newEntry({ plan: `${plan} (EIN ${index})`, variantOf: plan })),
    ]
    const several = 'Several plans have the same name but different rates; name the ones you mean: '
    const few = await sentenceOf([pair('Acme Health', 'A')], named('A', 2))
    expect(few?.sentence).toBe(`${several}"A" of "Acme Health" may be "A (EIN 0)", "A (EIN 1)".`)
    const plans = ['A', 'B', 'C'].map((plan) => pair('Acme Health', plan))
    const more = await sentenceOf(plans, [...named('A', 8), ...named('B', 4), ...named('C', 2)])
    expect(more?.sentence.slice(several.length)).toBe(
      `"A" of "Acme Health" may be ${Array.from({ length: 8 }, (_, index) => `"A (EIN ${index})"`).join(', ')}; ` +
        '"B" of "Acme Health" may be "B (EIN 0)", "B (EIN 1)", 2 more; "C" of "Acme Health" may be 2 more.',
    )
  })

  it('shows exactly ten without a count of further ones', async () => {
    const names = Array.from({ length: 10 }, (_, index) => newAmbiguousEntry({ plan: `Plan ${index}` }))
    expect((await sentenceOf(names, names))?.sentence).not.toContain('more names')
  })

  it('can be searched by the names of its variants', async () => {
    const catalogue = createMemoryCatalogue([...variants, name])
    const asked = [pair('Acme Health', 'PPO (EIN 100000003)'), pair('Acme Health', 'PPO (EIN 100000001)')]
    expect(await resolve(asked, catalogue)).toEqual({ contents: ['content 3', 'content 1'] })
  })
})

describe('a fee schedule that was loaded with a filter', () => {
  const filter = { id: 'filter-1', codes: ['99213', '99214'], npis: [1003000126] }
  const entry = newEntry({ filterId: filter.id })
  const asked = [pair('Acme Health', 'Gold PPO')]
  const search = async (facts: Partial<SearchRequest>) => {
    await contents.putFilter(filter)
    return resolve(asked, createMemoryCatalogue([entry]), facts)
  }

  it('answers a search that the filter covers', async () => {
    expect(await search({ npis: [1003000126], billingCodes: ['99213'] })).toEqual({ contents: ['content-1'] })
  })

  it('fails a search with a message that names ten fee schedules of a filter, and each filter', async () => {
    await contents.putFilter(filter)
    await contents.putFilter({ id: 'filter-2', codes: ['1'] })
    const loaded = Array.from({ length: 12 }, (_, index) => newEntry({ plan: `P${index}`, filterId: filter.id }))
    const plans = [...loaded, newEntry({ plan: 'Q', filterId: 'filter-2' }), newEntry({ plan: 'Whole' })]
    const found = await resolve(plans, createMemoryCatalogue(plans), { npis: [1003000126], billingCodes: ['99999'] })
    const ten = loaded.slice(0, 10).map(({ plan }) => `"${plan}" of "Acme Health"`)
    expect(found).toEqual({
      failure: {
        word: 'not_loaded',
        sentence:
          `Only part of these fee schedules was loaded. ${ten.join(', ')} and 2 more: the billing codes 99999 were ` +
          'not loaded; "Q" of "Acme Health": the billing codes 99999 were not loaded.',
      },
    })
  })

  it('breaks a search if its filter is not stored', async () => {
    const broken = resolve(asked, createMemoryCatalogue([newEntry({ filterId: 'filter-3' })]), {})
    await expect(broken).rejects.toThrow('the filter filter-3 of a content is not stored')
  })

  it.each<[string, Partial<SearchRequest>]>([
    ['another code', { npis: [1003000126], billingCodes: ['99213', '99999'] }],
    ['another NPI', { npis: [1003000126, 1], billingCodes: ['99213'] }],
    ['all codes', { npis: [1003000126] }],
    ['all NPIs of a TIN', { tins: ['012345678'], billingCodes: ['99213'] }],
    ['all NPIs', { billingCodes: ['99213'] }],
  ])('fails a search for %s, of which it has only a part', async (_, facts) => {
    expect(await search(facts)).toMatchObject({ failure: { word: 'not_loaded' } })
  })
})

describe('missing fee schedules', () => {
  it('get no suggestions of variants if the plan can be searched by its name', async () => {
    const variants = [1, 2].map((ein) => newEntry({ plan: `Extra (EIN ${ein})`, variantOf: 'Extra' }))
    const asked = [pair('Acme Health', 'Platinum')]
    const name = newEntry({ plan: 'Extra' })
    expect((await sentenceOf(asked, [name, ...variants]))?.sentence).toContain('(it has "Extra")')
    const sentence = (await sentenceOf(asked, [newAmbiguousEntry({ plan: 'Extra' }), ...variants]))?.sentence
    expect(sentence).toContain('(it has "Extra (EIN 1)", "Extra (EIN 2)")')
  })

  it('read only a few pages of a large catalogue', async () => {
    const many = Array.from({ length: 7000 }, (_, index) =>
      newEntry({ payer: 'Acme Health', plan: `Plan ${String(index).padStart(4, '0')}` }),
    )
    const catalogue = createMemoryCatalogue(many)
    await resolve([pair('Acme Heath', 'Plan 1')], catalogue)
    // One call shows that the payer has no plans; five pages are read to find its name.
    expect(catalogue.asked.lists).toBe(6)
  })

  it('search later pages for similar names, too', async () => {
    const others = Array.from({ length: 1500 }, (_, index) => newEntry({ plan: `Aaaaaaaa ${index}` }))
    const asked = [pair('Acme Health', 'Platinum EOP')]
    const failure = await sentenceOf(asked, [...others, newEntry({ plan: 'Platinum EPO' })])
    expect(failure?.sentence).toContain('did you mean "Platinum EPO"?')
  })

  it('name every missing one if there are few, and no existing one', async () => {
    const names = fc.constantFrom('Acme Health', 'Zenith', 'Omega')
    const plans = fc.constantFrom('Gold PPO', 'Silver PPO', 'Basic', 'Extra')
    const known = new Set(entries.map(({ payer, plan }) => `${payer}/${plan}`))
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.record({ payer: names, plan: plans }), {
          minLength: 1,
          maxLength: 10,
          selector: (one) => `${one.payer}/${one.plan}`,
        }),
        async (asked) => {
          const missing = asked.filter(({ payer, plan }) => !known.has(`${payer}/${plan}`))
          const failure = await sentenceOf(asked)
          expect(failure === undefined).toBe(missing.length === 0)
          expect(
            missing.filter(
              ({ payer, plan }) => !failure?.sentence.includes(`"${payer}"`) || !failure.sentence.includes(`"${plan}"`),
            ),
          ).toEqual([])
        },
      ),
    )
  })
})
