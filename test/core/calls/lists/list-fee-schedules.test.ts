import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { feeSchedulePages } from '../../../../contract/limits.ts'
import type { CatalogueEntryBody } from '../../../../contract/search-api.ts'
import { listFeeSchedules } from '../../../../core/calls/lists/list-fee-schedules.ts'
import type { CatalogueEntry } from '../../../../core/catalogue/catalogue-entry.ts'
import { Unauthorized } from '../../../../core/errors.ts'
import { writeCursor } from '../../../../core/paging/cursor.ts'
import { letIn, ownKey, unknownKey } from '../../../builders/own-job.ts'
import { newAmbiguousEntry, newEntry, newNppesMonth } from '../../../builders/sample-search.ts'
import { createMemoryCatalogue } from '../../../doubles/memory-catalogue.ts'
import { createMemoryContents } from '../../../doubles/memory-contents.ts'
import { createMemoryJobs } from '../../../doubles/memory-ports.ts'
import { readFaultPaths, readFaults } from './read-faults.ts'

const { access } = letIn({ jobs: createMemoryJobs() })
const entries = ['Acme', 'Zenith', 'Ünion "Ä.B"'].flatMap((payer) =>
  Array.from({ length: 5 }, (_, index) => newEntry({ payer, plan: `Plan ${index}` })),
)
const now = () => new Date('2026-11-20T09:30:00Z')
const deps = {
  access,
  now,
  log: () => {},
  catalogue: createMemoryCatalogue(entries),
  contents: createMemoryContents(),
}
const list = (parameters: Readonly<Record<string, string | undefined>>) => listFeeSchedules(deps, ownKey, parameters)

const faultsOf = (parameters: Readonly<Record<string, string | undefined>>) => readFaultPaths(list(parameters))

/** Reads all pages of a list. */
async function readPages(
  parameters: Readonly<Record<string, string>>,
  catalogue = deps.catalogue,
): Promise<CatalogueEntryBody[]> {
  const all: CatalogueEntryBody[] = []
  let cursor: string | null | undefined
  do {
    const page = await listFeeSchedules({ ...deps, catalogue }, ownKey, { ...parameters, ...(cursor && { cursor }) })
    expect(page.fee_schedules.length).toBeLessThanOrEqual(Number(parameters['limit'] ?? feeSchedulePages.default))
    all.push(...page.fee_schedules)
    cursor = page.next_cursor
  } while (cursor !== null)
  return all
}

const cursorOf = async (parameters: Readonly<Record<string, string>>) => (await list(parameters)).next_cursor ?? ''

describe('the list of fee schedules', () => {
  it('shows only the public facts of each', async () => {
    const lists = {
      sponsors: ['Acme'],
      markets: ['group'],
      issuers: ['Acme Health'],
      networks: ['A'],
      productTypes: ['PPO'],
    }
    const dated = newEntry({ lastUpdatedOn: '2026-11-01', partial: true, planIds: ['ein|000000007'], facts: lists })
    const facts = {
      plan_sponsor_names: ['Acme'],
      plan_market_types: ['group'],
      issuer_names: ['Acme Health'],
      network_names: ['A'],
      product_types: ['PPO'],
      changed_on: [],
    }
    const none = Object.fromEntries(Object.keys(facts).map((name) => [name, []]))
    const catalogue = createMemoryCatalogue([dated, newEntry({ plan: 'Silver PPO' })])
    expect(await listFeeSchedules({ ...deps, catalogue }, ownKey, {})).toStrictEqual({
      fee_schedules: [
        {
          payer: 'Acme Health',
          plan: 'Gold PPO',
          plan_ids: ['ein|000000007'],
          plan_id_count: 1,
          last_updated_on: '2026-11-01',
          partial: true,
          ...facts,
        },
        {
          payer: 'Acme Health',
          plan: 'Silver PPO',
          plan_ids: ['hios|0123'],
          plan_id_count: 1,
          last_updated_on: null,
          partial: false,
          ...none,
        },
      ],
      provider_lists: [],
      next_cursor: null,
    })
  })

  it('names the lists of providers that a search can have: all once NPPES is loaded, or those of an own relation', async () => {
    const active = newNppesMonth()
    const contents = createMemoryContents()
    const listsOf = async (more: Partial<Parameters<typeof listFeeSchedules>[0]>) =>
      (await listFeeSchedules({ ...deps, ...more }, ownKey, {})).provider_lists
    expect(await listsOf({})).toEqual([])
    await contents.replaceNppesMonths({ version: 'v1', active, replaced: [] }, undefined)
    expect(await listsOf({ contents })).toEqual(['states', 'zips', 'taxonomies'])
    await contents.replaceNppesMonths({ version: 'v2', replaced: [{ ...active, replacedAt: now() }] }, 'v1')
    expect(await listsOf({ contents })).toEqual([])
    expect(await listsOf({ columns: ['npi', 'provider_state'] })).toEqual(['states'])
  })

  it('lists a plan under its name, and under its plan ids only if these have different files', async () => {
    const variants = (plan: string) =>
      Array.from({ length: 230 }, (_, index) =>
        newEntry({ plan: `${plan} (EIN ${100000000 + index})`, variantOf: plan }),
      )
    const ambiguous = newAmbiguousEntry({ plan: 'B' }, 230)
    const removed: CatalogueEntry = { ...newEntry({ plan: 'D' }), state: { status: 'removed' } }
    const named = [newEntry({ plan: 'A' }), ambiguous, newEntry({ plan: 'C' }), removed]
    const catalogue = createMemoryCatalogue([...named, ...variants('A'), ...variants('B'), ...variants('C')])
    const expected = ['A', ...variants('B').map(({ plan }) => plan), 'C']
    for (const limit of ['1', '50', '1000']) {
      const plans = (await readPages({ limit }, catalogue)).map(({ plan }) => plan)
      expect(plans).toEqual(expected)
    }
  })

  it('lists each fee schedule once over pages of any size', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 20 }), async (limit) => {
        const all = await readPages({ limit: String(limit) })
        expect(all.map(({ payer, plan }) => `${payer}/${plan}`)).toEqual(
          entries.map(({ payer, plan }) => `${payer}/${plan}`),
        )
      }),
    )
  })

  it.each([' Zenith ', 'Ünion  "Ä.B"'])('lists one payer if %j is asked for', async (payer) => {
    const all = await readPages({ payer, limit: '2' })
    expect(all.map(({ plan }) => plan)).toEqual(['Plan 0', 'Plan 1', 'Plan 2', 'Plan 3', 'Plan 4'])
  })

  it('lists nothing for an unknown payer', async () => {
    expect(await list({ payer: 'Nobody' })).toMatchObject({ fee_schedules: [], next_cursor: null })
  })

  it('lists a hundred items a page by default, and up to a thousand', async () => {
    const catalogue = createMemoryCatalogue(
      Array.from({ length: 1001 }, (_, index) => newEntry({ plan: `Plan ${index}` })),
    )
    const count = async (parameters: Readonly<Record<string, string>>) =>
      (await listFeeSchedules({ ...deps, catalogue }, ownKey, parameters)).fee_schedules.length
    expect(await count({})).toBe(feeSchedulePages.default)
    expect(await count({ limit: '1000' })).toBe(feeSchedulePages.max)
  })

  it('requires a key, for any parameters', async () => {
    await expect(listFeeSchedules(deps, unknownKey, { limit: 'x' })).rejects.toThrow(Unauthorized)
  })
})

describe('a cursor', () => {
  it('refuses a cursor with any character changed, removed or added', async () => {
    const cursor = await cursorOf({ payer: 'Zenith', limit: '2' })
    await fc.assert(
      fc.asyncProperty(
        fc.nat(cursor.length - 1),
        fc.string({ unit: 'binary', maxLength: 1 }),
        fc.boolean(),
        async (at, text, isAdded) => {
          const changed = cursor.slice(0, at) + text + cursor.slice(isAdded ? at : at + 1)
          expect(await faultsOf({ payer: 'Zenith', cursor: changed })).toEqual(changed === cursor ? [] : ['cursor'])
        },
      ),
    )
  })

  it('continues the list it was issued for, and no other', async () => {
    const filtered = await cursorOf({ payer: 'Zenith', limit: '2' })
    const unfiltered = await cursorOf({ limit: '2' })
    expect(await faultsOf({ payer: 'Zenith', cursor: filtered })).toEqual([])
    expect(await faultsOf({ payer: ' Zenith ', cursor: filtered, limit: '1' })).toEqual([])
    expect(await faultsOf({ cursor: unfiltered })).toEqual([])
    expect(await faultsOf({ payer: 'Acme', cursor: filtered })).toEqual(['cursor'])
    expect(await faultsOf({ cursor: filtered })).toEqual(['cursor'])
    expect(await faultsOf({ payer: 'Acme', cursor: unfiltered })).toEqual(['cursor'])
  })

  it('made by hand is refused if its position is not in the list', async () => {
    const forge = (payer: string | null, ...position: readonly string[]) =>
      writeCursor(['fee-schedules', payer, null, null, null, null], position)
    expect(await faultsOf({ payer: 'Zenith', cursor: forge('Zenith', 'Zenith', 'Plan 1', '') })).toEqual([])
    expect(await faultsOf({ payer: 'Zenith', cursor: forge('Zenith', 'Acme', 'Plan 1', '') })).toEqual(['cursor'])
    expect(await faultsOf({ cursor: forge(null, 'Acme', 'Plan 1', '') })).toEqual([])
    expect(await faultsOf({ cursor: forge(null, 'Acme', 'Plan 1', 'Plan 1 (EIN 1)') })).toEqual([])
    const wrong = [
      ['', 'Plan 1', ''],
      ['Acme', 'a\u0000', ''],
      ['Acme', 'Plan 1', '', 'more'],
      ['Acme', 'Plan 1', 'a\u0000'],
    ]
    for (const position of [...wrong, ['Acme', 'Plan 1', 'Plan 2 (EIN 1)'], ['Acme']])
      expect(await faultsOf({ cursor: forge(null, ...position) })).toEqual(['cursor'])
    expect(await cursorOf({ limit: '1' })).toBe(forge(null, 'Acme', 'Plan 0', ''))
  })

  it('can be any text without an internal error', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (cursor) => {
        expect(await faultsOf({ cursor })).toEqual(['cursor'])
      }),
    )
  })
})

describe('the list of fee schedules with words', () => {
  it('finds payers and plans by words, page by page', async () => {
    expect((await readPages({ q: 'zEN', limit: '2' })).map(({ plan }) => plan)).toEqual(
      [0, 1, 2, 3, 4].map((index) => `Plan ${index}`),
    )
    expect((await readPages({ q: 'plan 3', limit: '2' })).map(({ payer }) => payer)).toEqual([
      'Acme',
      'Zenith',
      'Ünion "Ä.B"',
    ])
    expect(await readPages({ q: 'plan', payer: 'Zenith', limit: '2' })).toHaveLength(5)
    expect(await readPages({ q: 'zen', payer: 'Zenith' })).toEqual([])
  })

  it('finds the plan ids of an ambiguous name, page by page', async () => {
    const plans = Array.from({ length: 5 }, (_, index) => `PPO (EIN ${100_000_000 + index})`)
    const ambiguous = newAmbiguousEntry({ plan: 'PPO' }, 5)
    const entries = [ambiguous, ...plans.map((plan) => newEntry({ plan, variantOf: 'PPO' }))]
    const catalogue = createMemoryCatalogue(entries)
    const listed = (await readPages({ q: 'ppo', limit: '2' }, catalogue)).map(({ plan }) => plan)
    expect(listed).toEqual(plans)
  })

  it('refuses the cursor of another text', async () => {
    const cursor = await cursorOf({ q: 'plan', limit: '1' })
    expect(await faultsOf({ q: ' plan ', cursor })).toEqual([])
    for (const other of [
      { q: 'pla' },
      {},
      { q: 'plan', payer: 'Acme' },
      { sponsor: 'plan' },
      { q: 'plan', market: 'group' },
    ])
      expect(await faultsOf({ ...other, cursor })).toEqual(['cursor'])
  })
})

describe('the faults of a query', () => {
  it.each([
    [{ limit: '0' }, ['limit']],
    [{ limit: '1001' }, ['limit']],
    [{ limit: '-1' }, ['limit']],
    [{ limit: '1.5' }, ['limit']],
    [{ limit: '' }, ['limit']],
    [{ limit: '0x10' }, ['limit']],
    [{ limit: '1'.repeat(50) }, ['limit']],
    [{ payer: '' }, ['payer']],
    [{ payer: 'a\u0007' }, ['payer']],
    [{ cursor: '' }, ['cursor']],
    [{ q: '' }, ['q']],
    [{ q: 'a\u0007' }, ['q']],
    [{ q: '—' }, ['q']],
    [{ sponsor: '' }, ['sponsor']],
    [{ plan_id: '' }, ['plan_id']],
    [{ plan_id: '12_3456789 (EIN)' }, ['plan_id']],
    [{ plan_id: '1'.repeat(51) }, ['plan_id']],
    [{ market: 'Group' }, ['market']],
    [{ payer: ' ', limit: 'x', cursor: 'y' }, ['payer', 'limit', 'cursor']],
  ])('name every faulty parameter of %j: %j', async (parameters, paths) => {
    expect(await faultsOf(parameters)).toEqual(paths)
  })

  it('name the value, shortened and printable', async () => {
    const asked = { payer: 'a\u0007b', limit: 'ten', cursor: 'x'.repeat(500) }
    const faults = await readFaults(list(asked))
    expect(faults.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      expect.stringMatching(/^payer: .*; got "a\\u0007b"$/),
      'limit: must be a whole number from 1 to 1000; got "ten"',
      expect.stringMatching(/^cursor: must be the next_cursor of a page with the same filters; got "x{59}…$/),
    ])
  })

  it('do not include missing optional parameters', async () => {
    expect(await faultsOf({ payer: undefined, limit: undefined, cursor: undefined })).toEqual([])
  })
})
