import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CatalogueEntry } from '../../../../core/catalogue/catalogue-entry.ts'
import { type PlanFacts, uniteFacts } from '../../../../core/catalogue/plan-facts.ts'
import {
  findFeeSchedules,
  type ListPosition,
  maxExaminedNames,
} from '../../../../core/catalogue/word-index/find-fee-schedules.ts'
import { type FeeScheduleFilters, maxHeld } from '../../../../core/catalogue/word-index/look-up-words.ts'
import { ensureIndexed } from '../../../../core/catalogue/word-index/word-index.ts'
import { newAmbiguousEntry, newEntry, newRelationEntry } from '../../../builders/sample-search.ts'
import { createMemoryCatalogue } from '../../../doubles/memory-catalogue.ts'

interface Variant {
  readonly ein: string
  readonly facts?: PlanFacts
}

/** A plan's name with its variants, as a load leaves them. */
function newPlan(payer: string, plan: string, variants: readonly Variant[], isAmbiguous = false) {
  const facts = uniteFacts(variants.map((each) => each.facts))
  const all = variants.map(({ ein }) => `ein|${ein}`)
  const shown = all.length > 32 ? [] : all
  const name = isAmbiguous
    ? newAmbiguousEntry({ payer, plan }, variants.length)
    : newEntry({ payer, plan, planIds: shown, planIdCount: all.length, facts })
  return [
    name,
    ...variants.map((each) =>
      newEntry({
        payer,
        plan: `${plan} (EIN ${each.ein})`,
        variantOf: plan,
        planIds: [`ein|${each.ein}`],
        ...(each.facts && { facts: each.facts }),
      }),
    ),
  ]
}

const ids = { newId: () => `segment-${Math.random()}`, now: () => new Date('2026-11-20T09:30:00Z') }

async function openCatalogue(entries: readonly CatalogueEntry[], isIndexed = true) {
  const catalogue = createMemoryCatalogue(entries)
  if (isIndexed) await ensureIndexed({ catalogue, ...ids })
  return catalogue
}

/** The names on all pages, as `payer/plan`. */
async function find(catalogue: Awaited<ReturnType<typeof openCatalogue>>, filters: FeeScheduleFilters, limit = 100) {
  const pages: (readonly string[])[] = []
  let after: ListPosition | undefined
  do {
    const { items, next } = await findFeeSchedules(catalogue, { ...filters, limit, ...(after && { after }) })
    expect(items.length).toBeLessThanOrEqual(limit)
    pages.push(items.map(({ payer, plan }) => `${payer}/${plan}`))
    after = next
  } while (after !== undefined)
  return pages.flat()
}

const harbor = { sponsors: ['Harbor Foods Inc.'], markets: ['group'] }
const motors = { sponsors: ['Summit Motors'], markets: ['group'] }
const entries = [
  ...newPlan('Blue Harbor Health', 'Gold PPO', [{ ein: '123456789', facts: harbor }]),
  ...newPlan('Blue Harbor Health', 'Silver HMO', [{ ein: '222222222', facts: { markets: ['individual'] } }]),
  ...newPlan(
    'Summit Ridge',
    'Choice',
    [
      { ein: '123456789', facts: harbor },
      { ein: '333333333', facts: motors },
    ],
    true,
  ),
  newRelationEntry({ payer: 'Own', plan: 'Harbor Blue', planIds: ['ein|444444444'], planIdCount: 1 }),
]

describe.each([
  ['an indexed catalogue', true],
  ['a catalogue that an earlier version loaded', false],
])('in %s', (_, isIndexed) => {
  const open = (all = entries) => openCatalogue(all, isIndexed)

  it.each<readonly [string, FeeScheduleFilters, readonly string[]]>([
    ['words of payer and plan', { q: 'harbor gold' }, ['Blue Harbor Health/Gold PPO']],
    [
      'the beginning of a word of payer, plan or sponsor',
      { q: 'harb' },
      [
        'Blue Harbor Health/Gold PPO',
        'Blue Harbor Health/Silver HMO',
        'Own/Harbor Blue',
        'Summit Ridge/Choice (EIN 123456789)',
      ],
    ],
    [
      'an EIN that plans of two payers share',
      { planId: '123456789' },
      ['Blue Harbor Health/Gold PPO', 'Summit Ridge/Choice (EIN 123456789)'],
    ],
    ['an EIN as it is typed', { q: '33-3333333' }, ['Summit Ridge/Choice (EIN 333333333)']],
    ['an EIN as it is read out', { q: 'ein 33 3333333' }, ['Summit Ridge/Choice (EIN 333333333)']],
    ['an EIN of its type', { planId: 'ein|222222222' }, ['Blue Harbor Health/Silver HMO']],
    ['an EIN of another type', { planId: 'hios|222222222' }, []],
    ['the beginning of an EIN, where all of it is asked for', { planId: '1234567' }, []],
    ['a sponsor', { sponsor: 'summit mot' }, ['Summit Ridge/Choice (EIN 333333333)']],
    ['a sponsor that is only a payer', { sponsor: 'ridge' }, []],
    ['a market', { market: 'individual' }, ['Blue Harbor Health/Silver HMO']],
    ['all filters', { q: 'choice', sponsor: 'harbor', market: 'group' }, ['Summit Ridge/Choice (EIN 123456789)']],
    ['filters that no plan matches together', { planId: '333333333', sponsor: 'harbor' }, []],
    [
      'words beside the payer that is named',
      { q: 'harbor', payer: 'Blue Harbor Health' },
      ['Blue Harbor Health/Gold PPO'],
    ],
    ['the name of a variant as lists have it', { q: 'Choice (EIN 3333' }, ['Summit Ridge/Choice (EIN 333333333)']],
    ['words in another order', { q: 'ppo GOLD blue' }, ['Blue Harbor Health/Gold PPO']],
  ])('%s', async (_what, wanted, expected) => {
    const catalogue = await open()
    for (const limit of [1, 2, 100]) expect(await find(catalogue, wanted, limit)).toEqual(expected)
  })

  it('finds what an independent filter finds, on pages of any size', async () => {
    const word = fc.constantFrom('blue', 'gold', 'harbor', 'ppo', 'são')
    const name = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '))
    const ein = fc.constantFrom('111111111', '111222222', '333333333')
    const sponsors = fc.array(name, { maxLength: 2 })
    const facts = fc.record({ sponsors, markets: fc.subarray(['group', 'individual']) })
    const plan = fc.record({
      payer: name,
      plan: name,
      variants: fc.uniqueArray(fc.record({ ein, facts }), { selector: (each) => each.ein, minLength: 1 }),
      isAmbiguous: fc.boolean(),
    })
    const plans = fc.uniqueArray(plan, { selector: ({ payer, plan }) => `${payer}/${plan}`, maxLength: 8 })
    const wanted = fc.record(
      {
        q: fc.constantFrom('bl', 'gold ppo', 'SAO', '111', 'harbor blue', 'x'),
        sponsor: fc.constantFrom('go', 'sao'),
        planId: fc.constantFrom('111111111', 'ein|333333333', '444444444'),
        market: fc.constantFrom('group', 'individual'),
        payer: word,
      },
      { requiredKeys: [], noNullPrototype: true },
    )
    await fc.assert(
      fc.asyncProperty(plans, wanted, fc.integer({ min: 1, max: 4 }), async (all, asked, limit) => {
        const catalogue = await open(
          all.flatMap((each) => newPlan(each.payer, each.plan, each.variants, each.isAmbiguous)),
        )
        const begins = (words: string, texts: readonly string[]) => {
          const parts = texts.join(' ').replaceAll('ã', 'a').toLowerCase().split(' ')
          return words
            .toLowerCase()
            .split(' ')
            .every((one) => parts.some((part) => part.startsWith(one)))
        }
        const expected = all.flatMap(({ payer, plan, variants, isAmbiguous }) => {
          const isMeant = (some: readonly Variant[]) => {
            const sponsors = some.flatMap((each) => each.facts?.sponsors ?? [])
            const eins = some.map((each) => each.ein)
            return (
              (asked.payer === undefined || asked.payer === payer) &&
              (asked.q === undefined ||
                begins(asked.q, [plan, ...sponsors, ...eins, ...(asked.payer === undefined ? [payer] : [])])) &&
              (asked.sponsor === undefined || begins(asked.sponsor, sponsors)) &&
              (asked.planId === undefined || eins.includes(asked.planId.replace('ein|', ''))) &&
              (asked.market === undefined || some.some((each) => each.facts?.markets?.includes(asked.market ?? '')))
            )
          }
          if (isAmbiguous)
            return variants.filter((each) => isMeant([each])).map(({ ein }) => `${payer}/${plan} (EIN ${ein})`)
          // The index finds variants, a list of what an earlier version loaded compares what names show.
          const isFound = isIndexed ? variants.some((each) => isMeant([each])) : isMeant(variants)
          return isFound ? [`${payer}/${plan}`] : []
        })
        const found = await find(catalogue, asked, limit)
        // Variants that match only together are one fee schedule, and may be found.
        const together = all.map(({ payer, plan }) => `${payer}/${plan}`)
        expect(new Set(found).size).toBe(found.length)
        for (const each of expected) expect(found).toContain(each)
        for (const each of found) if (!expected.includes(each)) expect(isIndexed && together.includes(each)).toBe(true)
      }),
    )
  })
})

describe('in an indexed catalogue', () => {
  it.each<readonly [FeeScheduleFilters, readonly string[]]>([
    [
      { q: 'harbr' },
      [
        'Blue Harbor Health/Gold PPO',
        'Blue Harbor Health/Silver HMO',
        'Own/Harbor Blue',
        'Summit Ridge/Choice (EIN 123456789)',
      ],
    ],
    [{ q: 'Harbor Fods' }, ['Blue Harbor Health/Gold PPO', 'Summit Ridge/Choice (EIN 123456789)']],
    [{ q: 'hrabor silvre' }, ['Blue Harbor Health/Silver HMO']],
    [{ q: 'blueharbr gold' }, ['Blue Harbor Health/Gold PPO']],
    [{ q: 'harbor glod' }, ['Blue Harbor Health/Gold PPO']],
    [{ q: 'harbr', payer: 'Blue Harbor Health' }, ['Blue Harbor Health/Gold PPO']],
    [{ q: 'choise 333333333' }, ['Summit Ridge/Choice (EIN 333333333)']],
    [{ sponsor: 'sumit moters' }, ['Summit Ridge/Choice (EIN 333333333)']],
    [{ sponsor: 'harbr', market: 'group', q: 'choice' }, ['Summit Ridge/Choice (EIN 123456789)']],
    [{ sponsor: 'rigde' }, []],
    [{ q: 'gold motosr' }, []],
    [{ q: '333333334' }, []],
    [{ planId: '333333334' }, []],
    [{ planId: 'ein|33333333' }, []],
  ])('forgives a typing error in a word that no plan has: %j', async (wanted, expected) => {
    const catalogue = await openCatalogue(entries)
    for (const limit of [1, 2, 100]) expect(await find(catalogue, wanted, limit)).toEqual(expected)
  })

  it('finds by a mistyped word of a sponsor a name of which 30 others have the word in their own', async () => {
    const others = Array.from({ length: 30 }, (_, index) => ({
      ein: String(index + 10),
      facts: { sponsors: [`Acme ${index}`] },
    }))
    const zenith = { ein: '99', facts: { sponsors: ['Zenith Foods'] } }
    const catalogue = await openCatalogue(newPlan('A', 'Gold', [...others, zenith]))
    expect(await find(catalogue, { q: 'gold zentih' })).toEqual(['A/Gold'])
    expect(await find(catalogue, { sponsor: 'zenih fods' })).toEqual(['A/Gold'])
  })

  it('finds a plan of more than 32 ids by each of them, in few reads', async () => {
    const variants = Array.from({ length: 5000 }, (_, index) => ({ ein: String(100_000_000 + index) }))
    const catalogue = await openCatalogue([...newPlan('A', 'PPO', variants), ...newPlan('A', 'HMO', [{ ein: '1' }])])
    const reads = { count: 0, items: 0 }
    const counted: typeof catalogue = {
      ...catalogue,
      find: async (names) => {
        reads.count += 1
        reads.items += names.length
        return catalogue.find(names)
      },
    }
    expect(await find(counted, { planId: '100004999' })).toEqual(['A/PPO'])
    expect(reads).toEqual({ count: 2, items: 2 })
    expect(await find(catalogue, { planId: '100005000' })).toEqual([])
  })

  it('finds a variant by its name only while both read the same files, on pages of any size', async () => {
    const eins = ['111111111', '222222222', '333333333', '444444444']
    const catalogue = await openCatalogue(
      newPlan(
        'A',
        'PPO',
        eins.map((ein) => ({ ein, facts: harbor })),
      ),
    )
    for (const ein of ['222222222', '444444444']) {
      const variant = newPlan('A', 'PPO', [{ ein, facts: harbor }])[1]
      if (variant?.state.status === 'active')
        await catalogue.replace({ ...variant, version: 'v2', state: { ...variant.state, sourcesKey: 'new' } }, 'v1')
    }
    expect(await find(catalogue, { planId: '222222222' })).toEqual(['A/PPO (EIN 222222222)'])
    expect(await find(catalogue, { planId: '111111111' })).toEqual(['A/PPO'])
    for (const limit of [1, 2, 3, 100])
      expect(await find(catalogue, { sponsor: 'harbor' }, limit)).toEqual(eins.map((ein) => `A/PPO (EIN ${ein})`))
  })

  it('compares all words, even if the longest ones all belong to the payer', async () => {
    const payer = 'Blue Cross Blue Shield of Massachusetts'
    const one = [{ ein: '1' }]
    const catalogue = await openCatalogue([...newPlan(payer, 'HMO', one), ...newPlan(payer, 'PPO', one)])
    for (const limit of [1, 100])
      expect(await find(catalogue, { q: 'blue cross shield massachusetts ppo' }, limit)).toEqual([`${payer}/PPO`])
  })

  it("finds a sponsor of a name with very many by a word that is also one of the plan's", async () => {
    const facts = (sponsor: string) => ({ sponsors: [sponsor] })
    const others = Array.from({ length: 30 }, (_, index) => ({
      ein: String(index + 10),
      facts: facts(`Acme ${index}`),
    }))
    const zenith = { ein: '99', facts: facts('Zenith Gold') }
    const catalogue = await openCatalogue([
      ...newPlan('A', 'Gold', [...others, zenith]),
      ...newPlan('A', 'Gold HMO', [{ ein: '1', facts: harbor }]),
    ])
    expect(await find(catalogue, { sponsor: 'gold' })).toEqual(['A/Gold'])
  })

  it('what the index leads to is shown only as it is now', async () => {
    const catalogue = await openCatalogue([
      ...newPlan('A', 'PPO', [{ ein: '111111111', facts: harbor }]),
      ...newPlan('A', 'HMO', [{ ein: '111111111', facts: harbor }]),
    ])
    const [name, variant] = newPlan('A', 'PPO', [{ ein: '111111111', facts: motors }])
    for (const entry of [name, variant]) if (entry) await catalogue.replace({ ...entry, version: 'v2' }, 'v1')
    for (const plan of ['HMO', 'HMO (EIN 111111111)'])
      await catalogue.replace({ payer: 'A', plan, version: 'v2', state: { status: 'removed' } }, 'v1')
    expect(await find(catalogue, { sponsor: 'harbor' })).toEqual([])
    expect(await find(catalogue, { planId: '111111111' })).toEqual(['A/PPO'])
  })

  it('examines at most a thousand names for a page, and continues on the next one', async () => {
    const many = Array.from({ length: maxExaminedNames + 300 }, (_, index) =>
      newPlan('A', `Gold ${index}`, [
        { ein: '1', facts: { sponsors: index === maxExaminedNames + 200 ? ['Acme'] : [] } },
      ]),
    ).flat()
    const catalogue = await openCatalogue(many)
    const gone = many.filter(({ plan }) => !plan.includes(String(maxExaminedNames + 200)))
    for (const { payer, plan, variantOf } of gone) {
      const entry = { payer, plan, version: 'v2', state: { status: 'removed' } as const }
      await catalogue.replace({ ...entry, ...(variantOf !== undefined && { variantOf }) }, 'v1')
    }
    const { items, next } = await findFeeSchedules(catalogue, { q: 'gold', payer: 'A', limit: 10 })
    expect([items.length, next !== undefined]).toEqual([1, true])
    expect(await find(catalogue, { q: 'gold', payer: 'A' }, 10)).toEqual([`A/Gold ${maxExaminedNames + 200}`])
  })
})

describe('a word that more plans have than are held', () => {
  /** The entries, and postings of as many other plans, which have been removed since, as are too many. */
  async function openCommon() {
    const catalogue = await openCatalogue(entries)
    const others = ['inc', '=group'].flatMap((key) =>
      Array.from({ length: maxHeld + 1 }, (_, index) => {
        const name = `Gone ${index}`
        return { key, payer: 'Gone', name, variant: key === 'inc' ? `${name} (EIN 1)` : '' }
      }),
    )
    await catalogue.addPostings({ segmentId: 'gone', createdAt: new Date(0) }, others)
    return catalogue
  }

  it.each<readonly [string, FeeScheduleFilters]>([
    ['q', { q: 'inc' }],
    ['sponsor', { sponsor: 'inc', market: 'group' }],
  ])('cannot be searched alone as %s, and the message says what to add', async (path, wanted) => {
    const message = `more than ${maxHeld} plans have a word that begins with "inc": add another word, or the payer`
    await expect(find(await openCommon(), wanted)).rejects.toMatchObject({ details: [{ path, message }] })
  })

  it.each<readonly [string, FeeScheduleFilters, readonly string[]]>([
    ['another word', { q: 'inc harbor choice' }, ['Summit Ridge/Choice (EIN 123456789)']],
    ['the payer', { q: 'inc', payer: 'Summit Ridge' }, ['Summit Ridge/Choice (EIN 123456789)']],
    ['a plan id', { sponsor: 'inc', planId: '333333333' }, []],
    [
      'a market type that is as common',
      { q: 'foods', market: 'group', sponsor: 'harb' },
      ['Blue Harbor Health/Gold PPO', 'Summit Ridge/Choice (EIN 123456789)'],
    ],
  ])('finds the same plans as ever with %s', async (_, wanted, expected) => {
    expect(await find(await openCommon(), wanted)).toEqual(expected)
  })

  it('gets only compared if it is too common among the plans that other words find', async () => {
    const catalogue = await openCommon()
    await catalogue.addPostings({ segmentId: 'payer', createdAt: new Date(0) }, [
      { key: 'gone', payer: 'Gone', name: '', variant: '' },
    ])
    await catalogue.replace(newEntry({ payer: 'Gone', plan: 'Gone 7', facts: { sponsors: ['Seven Inc.'] } }), undefined)
    await catalogue.replace(newEntry({ payer: 'Gone', plan: 'Gone 8', facts: { sponsors: ['Eight'] } }), undefined)
    expect(await find(catalogue, { q: 'gone inc' })).toEqual(['Gone/Gone 7'])
  })

  it('leaves out no plan of an id that as many plans have', async () => {
    const catalogue = createMemoryCatalogue(entries)
    const others = Array.from({ length: maxHeld + 1 }, (_, index) => {
      const name = `Gone ${index}`
      return { key: '222222222', payer: 'Gone', name, variant: `${name} (EIN 222222222)` }
    })
    await catalogue.addPostings({ segmentId: 'gone', createdAt: new Date(0) }, others)
    await ensureIndexed({ catalogue, ...ids })
    const wanted = { planId: '222222222', payer: 'Blue Harbor Health' }
    expect(await find(catalogue, wanted)).toEqual(['Blue Harbor Health/Silver HMO'])
    expect((await findFeeSchedules(catalogue, { planId: '222222222', limit: 1 })).items).toHaveLength(1)
  })

  it('does not cause the refusal of a market type', async () => {
    expect(await find(await openCommon(), { market: 'group' })).toEqual([
      'Blue Harbor Health/Gold PPO',
      'Summit Ridge/Choice (EIN 123456789)',
      'Summit Ridge/Choice (EIN 333333333)',
    ])
  })
})
