import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { parseEntry, writeEntry } from '../../../../adapters/dynamodb/catalogue/catalogue-items.ts'
import { createDynamoCatalogue } from '../../../../adapters/dynamodb/catalogue/dynamo-catalogue.ts'
import { connectDynamo } from '../../../../adapters/dynamodb/dynamo-client.ts'
import { maxNameLength } from '../../../../contract/limits.ts'
import type { CatalogueEntry } from '../../../../core/catalogue/catalogue-entry.ts'
import type { FeeSchedule } from '../../../../core/catalogue/fee-schedule.ts'
import { at } from '../../../../schema/at.ts'
import { maxShownPlanIds } from '../../../../schema/columns/rates.ts'
import { newEntry, newRelationEntry } from '../../../builders/sample-search.ts'
import { createMemoryCatalogue } from '../../../doubles/memory-catalogue.ts'
import { connectEndpoints } from '../../../endpoints/connect.ts'

const { tables } = connectEndpoints()
/** The adapter, and its double in tests of the core and the loader. */
const catalogues = {
  DynamoDB: createDynamoCatalogue(connectDynamo(), tables.catalogue, tables.contents),
  memory: createMemoryCatalogue(),
}

/** Returns a payer that no other test uses. */
const newPayer = () => `Payer ${randomUUID()}`

const entry = (payer: string, plan: string, facts: Parameters<typeof newEntry>[0] = {}): CatalogueEntry =>
  newEntry({ lastUpdatedOn: '2026-10-01', version: 'version-1', ...facts, payer, plan })

const byPlan = (a: FeeSchedule, b: FeeSchedule) => (a.plan < b.plan ? -1 : 1)

describe.each(Object.entries(catalogues))('a catalogue in %s', (_, catalogue) => {
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

  describe('finding fee schedules', () => {
    it('reads more than the hundred keys of one call, and omits missing ones', async () => {
      const payer = newPayer()
      const entries = await store(payer, 250)
      const unknown = [
        { payer, plan: 'No such plan' },
        { payer: newPayer(), plan: 'Plan 0001' },
      ]
      const matches = await catalogue.find([...unknown, ...entries])
      expect(matches.toSorted(byPlan)).toEqual(entries)
      expect(await catalogue.find(unknown)).toEqual([])
      expect(await catalogue.find([])).toEqual([])
    })

    it('matches names exactly', async () => {
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
      'visits each plan of a payer once and in order, with pages of %d',
      async (limit) => {
        const pages = await readPages(limit, payer)
        expect(pages.flat()).toEqual(entries)
        expect(pages).toHaveLength(Math.ceil(plans / limit))
      },
    )

    it.each([1, 7, 1000])(
      "visits all payers once, each one's plans together and in order, with pages of %d",
      async (limit) => {
        const allEntries = (await readPages(limit)).flat()
        const positions = allEntries.flatMap((each, position) => (each.payer === payer ? [position] : []))
        expect(positions.map((position) => allEntries[position])).toEqual(entries)
        expect(at(positions, positions.length - 1) - at(positions, 0)).toBe(plans - 1)
      },
    )

    it('returns nothing for a payer that does not exist', async () => {
      expect(await catalogue.list({ payer: newPayer(), limit: 10 })).toEqual({ items: [] })
    })
  })

  describe('the entries of a plan', () => {
    it('include its main entry and its variants in order, and no other plan’s entries', async () => {
      const payer = newPayer()
      const ids = Array.from({ length: 30 }, (_, index) => String(100_000_000 + index))
      const planEntries = [
        entry(payer, 'PPO'),
        ...ids.map((id) => entry(payer, `PPO (EIN ${id})`, { variantOf: 'PPO' })),
        entry(payer, 'PPO (no plan id)', { variantOf: 'PPO' }),
      ]
      const otherEntries = [
        entry(payer, 'PPO (Ohio)'),
        entry(payer, 'PPO (Ohio) (EIN 111111111)', { variantOf: 'PPO (Ohio)' }),
        entry(payer, 'PPO Gold'),
        entry(newPayer(), 'PPO'),
      ]
      await Promise.all([...planEntries, ...otherEntries].map((each) => catalogue.replace(each, undefined)))
      expect(await catalogue.listVariants({ payer, plan: 'PPO' })).toEqual(planEntries)
      expect(await catalogue.listVariants({ payer, plan: 'PPO' }, 5)).toEqual(planEntries.slice(0, 6))
      const further = await catalogue.listVariants({ payer, plan: 'PPO' }, 5, planEntries[5]?.plan)
      expect(further).toEqual([planEntries[0], ...planEntries.slice(6, 11)])
      expect(await catalogue.listVariants({ payer, plan: 'PPO' }, 5, planEntries.at(-1)?.plan)).toEqual([
        planEntries[0],
      ])
      expect(await catalogue.listVariants({ payer, plan: 'HMO' })).toEqual([])
    })
  })

  describe('replacing an entry', () => {
    it('requires the version that the change is based on', async () => {
      const [payer, plan] = [newPayer(), 'Gold PPO']
      const [first, second] = [entry(payer, plan), entry(payer, plan, { version: 'version-2', contentId: 'content-2' })]
      expect(await catalogue.replace(second, 'version-1')).toBe('superseded')
      expect(await catalogue.find([{ payer, plan }])).toEqual([])
      expect(await catalogue.replace(first, undefined)).toBe('written')
      expect(await catalogue.replace(second, undefined)).toBe('superseded')
      expect(await catalogue.replace(second, 'version-0')).toBe('superseded')
      expect(await catalogue.find([{ payer, plan }])).toEqual([first])
      expect(await catalogue.replace(second, 'version-1')).toBe('written')
      expect(await catalogue.find([{ payer, plan }])).toEqual([second])
    })

    it('lets one of twenty concurrent writers win', async () => {
      const [payer, plan] = [newPayer(), 'Gold PPO']
      await catalogue.replace(entry(payer, plan), undefined)
      const rivals = Array.from({ length: 20 }, (_, index) => entry(payer, plan, { version: `rival-${index}` }))
      const outcomes = await Promise.all(rivals.map((rival) => catalogue.replace(rival, 'version-1')))
      expect(outcomes.filter((outcome) => outcome === 'written')).toHaveLength(1)
      expect(await catalogue.find([{ payer, plan }])).toEqual([rivals[outcomes.indexOf('written')]])
    })
  })

  describe('removing an entry', () => {
    it('requires its version, and leaves other entries', async () => {
      const payer = newPayer()
      const [gold, silver] = [entry(payer, 'Gold PPO'), entry(payer, 'Silver PPO')]
      for (const each of [gold, silver]) await catalogue.replace(each, undefined)
      expect(await catalogue.remove(gold, 'version-0')).toBe('superseded')
      expect((await catalogue.list({ payer, limit: 10 })).items).toEqual([gold, silver])
      expect(await catalogue.remove(gold, 'version-1')).toBe('written')
      expect((await catalogue.list({ payer, limit: 10 })).items).toEqual([silver])
      expect(await catalogue.remove(gold, 'version-1')).toBe('superseded')
    })
  })

  describe('an entry', () => {
    it('reads back equal, for any names', async () => {
      const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 })
      const content = fc
        .record({ planIds: fc.array(name), filterId: name, partial: fc.boolean(), origin: name, contentId: name })
        .chain((facts) =>
          fc
            .constantFrom({}, { facts: {} }, { facts: { issuers: ['A'], networks: ['B'] } })
            .map((some) => newEntry({ ...facts, ...some }).state),
        )
      const state = fc.oneof(
        content,
        fc.constant(newRelationEntry({ planIds: ['hios|1'], planIdCount: 1 }).state),
        fc.constant({ status: 'ambiguous', variants: 3 } as const),
        fc.constant({ status: 'removed' } as const),
      )
      const former = fc.oneof(content, fc.constant({ status: 'removed' } as const)).map((each) => ({
        state: each.status === 'active' ? each : ({ status: 'removed' } as const),
        replacedAt: '2026-11-01T00:00:00.000+00:00',
      }))
      const anyEntry = fc.record(
        { plan: name, version: name, state, variantOf: name, previous: former, changedBy: name },
        { requiredKeys: ['plan', 'version', 'state'] },
      )
      await fc.assert(
        fc.asyncProperty(anyEntry, name, async (facts, suffix) => {
          const storedEntry: CatalogueEntry = { ...facts, payer: newPayer() + suffix }
          expect(await catalogue.replace(storedEntry, undefined)).toBe('written')
          expect(await catalogue.find([storedEntry])).toStrictEqual([storedEntry])
        }),
        { numRuns: 40 },
      )
    })

    it.each([
      ['all the plan ids that it shows', maxShownPlanIds, {}],
      ['some plan ids and a filter', 16, { filterId: 'f'.repeat(64) }],
    ])('takes less than a kilobyte with %s', (_name, count, facts) => {
      const planIds = Array.from({ length: count }, (_id, index) => `ein|${100_000_000 + index}`)
      const { state } = newEntry({
        planIds,
        contentId: 'c'.repeat(20),
        sourcesKey: 's'.repeat(20),
        planIdsKey: 'p'.repeat(20),
        ...facts,
      })
      const plan = {
        payer: 'Blue Harbor Health of the Northern Counties',
        plan: 'Harbor PPO Gold 2000 with Dental and Vision',
      }
      const item = writeEntry({ ...plan, version: 'v'.repeat(20), state })
      // The size is about that of the item's JSON: attribute names, values and a few bytes of overhead each. Source:
      // DynamoDB Developer Guide, "Item sizes and formats".
      const bytes = JSON.stringify(item).replaceAll('\\u0000', '0').replace(/[":]/g, '').length
      expect(bytes).toBeLessThan(1024)
    })

    it("takes less than a kilobyte with a plan's facts and those of the month before", async () => {
      const facts = {
        sponsors: ['Northern Lights Logistics Inc.'],
        markets: ['group'],
        issuers: ['Blue Harbor Health of the Northern Counties'],
        networks: ['Harbor PPO Network'],
      }
      const ids = { contentId: 'c'.repeat(20), sourcesKey: 's'.repeat(20), planIdsKey: 'p'.repeat(20) }
      const { state } = newEntry({
        ...ids,
        planIds: ['ein|123456789'],
        lastUpdatedOn: '2026-11-01',
        origin: 'o'.repeat(20),
        facts,
      })
      if (state.status !== 'active') throw new TypeError('not active')
      const entry: CatalogueEntry = {
        payer: 'Blue Harbor Health of the Northern Counties',
        plan: `Harbor PPO Gold 2000 with Dental (EIN 123456789)`,
        variantOf: 'Harbor PPO Gold 2000 with Dental',
        version: 'v'.repeat(20),
        changedBy: 'l'.repeat(20),
        state: { ...state, publisher: 'rates.blueharbor.example' },
        previous: { state, replacedAt: '2026-11-01T00:00:00.000+00:00' },
      }
      const item = writeEntry(entry)
      expect(JSON.stringify(item).replace(/[":]/g, '').length).toBeLessThan(1024)
      expect(parseEntry(JSON.parse(JSON.stringify(item)))).toStrictEqual(entry)
    })

    it('can have the longest names of a request, in the characters with the most bytes', async () => {
      const widest = '𝒳'.repeat(maxNameLength - 40)
      const storedEntry = entry(newPayer() + widest, '𝒳'.repeat(maxNameLength))
      expect(await catalogue.replace(storedEntry, undefined)).toBe('written')
      expect((await catalogue.list({ payer: storedEntry.payer, limit: 1 })).items).toEqual([storedEntry])
    })
  })
})
