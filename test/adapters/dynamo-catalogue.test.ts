import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { createDynamoCatalogue } from '../../adapters/dynamo-catalogue.ts'
import { connectDynamo } from '../../adapters/dynamo-client.ts'
import type { CatalogueEntry } from '../../core/catalogue-entry.ts'
import type { FeeSchedule } from '../../core/fee-schedule.ts'
import { longestName } from '../../core/fee-schedule.ts'
import { connectEndpoints } from '../connect.ts'

const { tables } = connectEndpoints()
const catalogue = createDynamoCatalogue(connectDynamo(), tables.catalogue)

/** A payer that no other test knows. */
const newPayer = () => `Payer ${randomUUID()}`

const entry = (payer: string, plan: string, facts: Partial<CatalogueEntry> = {}): CatalogueEntry => ({
  payer,
  plan,
  planIds: ['012345678'],
  sources: ['source-1'],
  lastUpdatedOn: '2026-10-01',
  partial: false,
  version: 'version-1',
  ...facts,
})

async function store(payer: string, plans: number): Promise<readonly CatalogueEntry[]> {
  const entries = Array.from({ length: plans }, (_, index) => entry(payer, `Plan ${String(index).padStart(4, '0')}`))
  await Promise.all(entries.map((each) => catalogue.replace(each, undefined)))
  return entries
}

/** Reads a list to its end. */
async function readPages(limit: number, payer?: string): Promise<readonly (readonly CatalogueEntry[])[]> {
  const pages: (readonly CatalogueEntry[])[] = []
  let after: FeeSchedule | undefined
  do {
    const page = await catalogue.list({ limit, ...(payer !== undefined && { payer }), ...(after && { after }) })
    pages.push(page.items)
    after = page.next
  } while (after !== undefined)
  return pages
}

const byPlan = (a: FeeSchedule, b: FeeSchedule) => (a.plan < b.plan ? -1 : 1)

describe('finding fee schedules', () => {
  it('goes beyond the hundred keys of one read, and leaves out what is not there', async () => {
    const payer = newPayer()
    const entries = await store(payer, 250)
    const unknown = [
      { payer, plan: 'No such plan' },
      { payer: newPayer(), plan: 'Plan 0001' },
    ]
    const found = await catalogue.find([...unknown, ...entries])
    expect(found.toSorted(byPlan)).toEqual(entries)
    expect(await catalogue.find(unknown)).toEqual([])
    expect(await catalogue.find([])).toEqual([])
  })

  it('is exact to the letter', async () => {
    const payer = newPayer()
    await catalogue.replace(entry(payer, 'Gold PPO'), undefined)
    expect(await catalogue.find([{ payer, plan: 'gold PPO' }])).toEqual([])
  })
})

describe('listing', () => {
  const payer = newPayer()
  const plans = 12
  let entries: readonly CatalogueEntry[] = []
  beforeAll(async () => {
    entries = await store(payer, plans)
  })

  it.each(Array.from({ length: plans + 1 }, (_, index) => index + 1))(
    'visits each plan of a payer once and in order, by pages of %d',
    async (limit) => {
      const pages = await readPages(limit, payer)
      expect(pages.flat()).toEqual(entries)
      expect(pages).toHaveLength(Math.ceil(plans / limit))
    },
  )

  it.each([1, 7, 1000])(
    "visits all payers once, each one's plans together and in order, by pages of %d",
    async (limit) => {
      const listed = (await readPages(limit)).flat()
      const places = listed.flatMap((each, place) => (each.payer === payer ? [place] : []))
      expect(places.map((place) => listed[place])).toEqual(entries)
      expect((places.at(-1) ?? 0) - (places[0] ?? 0)).toBe(plans - 1)
    },
  )

  it('has nothing of a payer that is not there', async () => {
    expect(await catalogue.list({ payer: newPayer(), limit: 10 })).toEqual({ items: [] })
  })
})

describe('replacing an entry', () => {
  it('needs the version that it was made from', async () => {
    const [payer, plan] = [newPayer(), 'Gold PPO']
    const [first, second] = [entry(payer, plan), entry(payer, plan, { version: 'version-2', sources: ['source-2'] })]
    expect(await catalogue.replace(second, 'version-1')).toBe('superseded')
    expect(await catalogue.find([{ payer, plan }])).toEqual([])
    expect(await catalogue.replace(first, undefined)).toBe('written')
    expect(await catalogue.replace(second, undefined)).toBe('superseded')
    expect(await catalogue.replace(second, 'version-0')).toBe('superseded')
    expect(await catalogue.find([{ payer, plan }])).toEqual([first])
    expect(await catalogue.replace(second, 'version-1')).toBe('written')
    expect(await catalogue.find([{ payer, plan }])).toEqual([second])
  })

  it('has one winner among twenty at once', async () => {
    const [payer, plan] = [newPayer(), 'Gold PPO']
    await catalogue.replace(entry(payer, plan), undefined)
    const rivals = Array.from({ length: 20 }, (_, index) => entry(payer, plan, { version: `rival-${index}` }))
    const outcomes = await Promise.all(rivals.map((rival) => catalogue.replace(rival, 'version-1')))
    expect(outcomes.filter((outcome) => outcome === 'written')).toHaveLength(1)
    expect(await catalogue.find([{ payer, plan }])).toEqual([rivals[outcomes.indexOf('written')]])
  })
})

describe('an entry', () => {
  it('comes back as it was written, whatever its names', async () => {
    const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 })
    const anyEntry = fc.record(
      {
        plan: name,
        planIds: fc.array(name),
        sources: fc.array(name),
        lastUpdatedOn: fc.constant('2026-10-01'),
        partial: fc.boolean(),
        version: name,
      },
      { requiredKeys: ['plan', 'planIds', 'sources', 'partial', 'version'] },
    )
    await fc.assert(
      fc.asyncProperty(anyEntry, name, async (facts, suffix) => {
        const written: CatalogueEntry = { ...facts, payer: newPayer() + suffix }
        expect(await catalogue.replace(written, undefined)).toBe('written')
        expect(await catalogue.find([written])).toEqual([written])
      }),
      { numRuns: 40 },
    )
  })

  it('may have the longest names that a request may have, in the widest letters', async () => {
    const widest = '\uffee'.repeat(longestName - 40)
    const written = entry(newPayer() + widest, '\uffee'.repeat(longestName))
    expect(await catalogue.replace(written, undefined)).toBe('written')
    expect((await catalogue.list({ payer: written.payer, limit: 1 })).items).toEqual([written])
  })
})
