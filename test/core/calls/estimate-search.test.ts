import { describe, expect, it } from 'vitest'
import { maxStatementBytes } from '../../../contract/limits.ts'
import { estimateSearch } from '../../../core/calls/estimate-search.ts'
import type { CatalogueEntry } from '../../../core/catalogue/catalogue-entry.ts'
import type { Content } from '../../../core/catalogue/content.ts'
import type { LoadFilter } from '../../../core/catalogue/load-filter.ts'
import type { Catalogue } from '../../../core/catalogue/ports.ts'
import { Forbidden, InvalidRequest, Unauthorized } from '../../../core/errors.ts'
import { RateLimited } from '../../../core/limits/rate-limited.ts'
import type { Limits } from '../../../core/limits/usage.ts'
import type { NppesMonth } from '../../../core/nppes/nppes-months.ts'
import { letIn, ownKey, revokedKey, unknownKey } from '../../builders/own-job.ts'
import {
  newAmbiguousEntry,
  newContent,
  newEntry,
  newNppesMonth,
  newRelationEntry,
} from '../../builders/sample-search.ts'
import { createMemoryCatalogue } from '../../doubles/memory-catalogue.ts'
import { createMemoryContents } from '../../doubles/memory-contents.ts'
import { createMemoryJobs } from '../../doubles/memory-ports.ts'
import { createMemoryRateUsages, wideLimits } from '../../doubles/memory-usages.ts'

const payer = 'Acme Health'
const body = { npis: [1003000126], billing_codes: ['99213'], fee_schedules: [{ payer, plan: 'Gold PPO' }] }

const nppes = newNppesMonth({ rows: 1000, bytes: 1e6, rowGroupRows: 10 })

interface World {
  readonly entries?: readonly CatalogueEntry[]
  readonly contents?: readonly Content[]
  readonly filters?: readonly LoadFilter[]
  readonly nppes?: NppesMonth
  readonly columns?: readonly string[]
  readonly limits?: Limits
  readonly catalogue?: Catalogue
}

/** Size of the file of a content, which says which fee schedules read its sources. */
const tableBytes = 7

/** A content with these sources, each of `bytes`. */
const contentOf = (contentId: string, bytes: Readonly<Record<string, number | undefined>>): Content => ({
  ...newContent(contentId),
  tableBytes,
  sources: Object.entries(bytes).map(([sourceId, size]) => ({
    loadId: 'load-1',
    sourceId,
    ...(size !== undefined && { bytes: size }),
  })),
})

async function openEstimates(world: World = {}) {
  const { entries = [newEntry()], contents = [contentOf('content-1', { a: 100 })], filters = [] } = world
  const stored = createMemoryContents()
  for (const content of contents) await stored.putContent(content)
  for (const filter of filters) await stored.putFilter(filter)
  if (world.nppes) await stored.replaceNppesMonths({ version: 'v', active: world.nppes, replaced: [] }, undefined)
  const deps = {
    ...letIn({ jobs: createMemoryJobs() }),
    now: () => new Date('2026-11-20T09:30:00Z'),
    log: () => {},
    catalogue: world.catalogue ?? createMemoryCatalogue(entries),
    contents: stored,
    estimateUsages: createMemoryRateUsages('estimates'),
    limits: world.limits ?? wideLimits,
    columns: world.columns,
  }
  return (asked: object = body, key = ownKey) => estimateSearch(deps, key, () => asked)
}

describe('an estimate', () => {
  it('says what a search would read', async () => {
    const estimate = await openEstimates()
    expect(await estimate()).toStrictEqual({
      fee_schedules: [{ payer, plan: 'Gold PPO', exists: true, nearest: [] }],
      files: 1,
      bytes: 100 + tableBytes,
      statement_bytes: expect.any(Number),
      warnings: [],
    })
  })

  it('counts what a search reads of NPPES: a row group for each NPI that it names, or all', async () => {
    const estimate = await openEstimates({ nppes })
    expect(await estimate()).toMatchObject({ files: 2, bytes: 100 + tableBytes + 10_000 + 100_000 })
    const { npis: _, ...all } = body
    expect(await estimate(all)).toMatchObject({ files: 2, bytes: 100 + tableBytes + 1e6 })
    const providers = { states: ['TX'] }
    expect(await estimate({ ...all, providers })).toMatchObject({ files: 2, bytes: 100 + tableBytes + 1e6 })
    expect(await estimate({ ...body, providers })).toMatchObject({
      files: 2,
      bytes: 100 + tableBytes + 10_000 + 100_000,
    })
  })

  it('refuses providers by place if no NPPES month is loaded, and uses up nothing', async () => {
    const asked = { ...body, providers: { states: ['TX'] } }
    const limits = { searches: 1, perMinute: 1 }
    const estimate = await openEstimates({ limits })
    await expect(estimate(asked)).rejects.toThrow(
      'providers: cannot be searched by before NPPES is loaded: leave it out, or ask the operator to run `npm run nppes -- load`.',
    )
    expect(await estimate()).toMatchObject({ files: 1 })
    const own = await openEstimates({ entries: [newRelationEntry()], columns: ['npi', 'provider_zip'] })
    await expect(own(asked)).rejects.toThrow(
      "providers: cannot be searched by, because the operator's own relation has no column provider_state: leave it out.",
    )
    expect(await own({ ...body, providers: { zips: ['77030'] } })).toMatchObject({ files: null })
  })

  it('counts a source once if several fee schedules read it', async () => {
    const entries = [
      newEntry({ plan: 'A', contentId: 'one' }),
      newEntry({ plan: 'B', contentId: 'one' }),
      newEntry({ plan: 'C', contentId: 'two' }),
    ]
    const contents = [contentOf('one', { a: 100, b: 20 }), contentOf('two', { b: 20, c: 3 })]
    const estimate = await openEstimates({ entries, contents })
    const feeSchedules = ['A', 'B', 'C'].map((plan) => ({ payer, plan }))
    expect(await estimate({ ...body, fee_schedules: feeSchedules })).toMatchObject({
      files: 3,
      bytes: 123 + 2 * tableBytes,
    })
  })

  it('leaves the bytes unknown if a source was written before sizes were noted', async () => {
    const estimate = await openEstimates({ contents: [contentOf('content-1', { a: 100, b: undefined })] })
    expect(await estimate()).toMatchObject({ files: 2, bytes: null })
  })

  it('leaves the bytes unknown if a content was written before its size was noted', async () => {
    const { tableBytes: _, ...content } = contentOf('content-1', { a: 100 })
    const estimate = await openEstimates({ contents: [content] })
    expect(await estimate()).toMatchObject({ files: 1, bytes: null })
  })

  it('gives no size if the search would fail, because the bytes of NPPES alone would mislead', async () => {
    const estimate = await openEstimates({ nppes })
    const missing = { payer, plan: 'gold ppo' }
    const withMissing = { ...body, fee_schedules: [...body.fee_schedules, missing] }
    expect(await estimate({ ...body, fee_schedules: [missing] })).toMatchObject({ files: 0, bytes: 0 })
    expect(await estimate(withMissing)).toMatchObject({ files: 0, bytes: 0 })
    expect(await estimate({ ...body, fee_schedules: [{ plan_id: '99-9999999' }] })).toMatchObject({
      files: 0,
      bytes: 0,
    })
    expect(await estimate()).toMatchObject({ files: 2 })
  })

  it('leaves files and bytes unknown for over 100,000 files together, whose names are then not read', async () => {
    const plans = Array.from({ length: 11 }, (_, index) => `Plan ${index}`)
    const entryOf = (plan: string, sourceCount: number): CatalogueEntry => {
      const entry = newEntry({ plan, contentId: plan })
      return entry.state.status === 'active' ? { ...entry, state: { ...entry.state, sourceCount } } : entry
    }
    const entries = plans.map((plan) => entryOf(plan, 10_000))
    const estimate = await openEstimates({ entries, contents: plans.map((plan) => contentOf(plan, { [plan]: 1 })) })
    const ask = (count: number) =>
      estimate({ ...body, fee_schedules: plans.slice(0, count).map((plan) => ({ payer, plan })) })
    expect(await ask(10)).toMatchObject({ files: 10, bytes: 10 + 10 * tableBytes })
    expect(await ask(11)).toMatchObject({ files: null, bytes: null })
    expect((await ask(11)).fee_schedules.every(({ exists }) => exists)).toBe(true)
  })

  it('counts neither files nor bytes over an own relation', async () => {
    const estimate = await openEstimates({ entries: [newRelationEntry()], columns: ['npi'] })
    expect(await estimate()).toMatchObject({ fee_schedules: [{ exists: true }], files: null, bytes: null })
    const loads = await openEstimates({ entries: [newRelationEntry()] })
    expect(await loads()).toMatchObject({ fee_schedules: [{ exists: false }], files: 0, bytes: 0 })
  })

  it('refuses a summary that the rates cannot give, and warns of what it will do without', async () => {
    const summary = { weight: 'prices', by: ['state', 'network'] }
    const loaded = await openEstimates()
    await expect(loaded({ ...body, summary })).rejects.toThrow('summary.by: cannot have state before NPPES is loaded')
    expect(await loaded({ ...body, summary: { by: ['network'] } })).toMatchObject({
      summary: { weight: 'tins', by: ['network'] },
      warnings: [],
    })
    const own = await openEstimates({ entries: [newRelationEntry()], columns: ['npi', 'tin_type', 'tin_value'] })
    const refusal = await own({ ...body, summary }).catch((error: unknown) => error)
    expect(refusal instanceof InvalidRequest && refusal.details).toEqual(
      [
        ['summary.weight', 'cannot be prices', 'price_id'],
        ['summary.by', 'cannot have state', 'provider_state'],
        ['summary.by', 'cannot have network', 'network_name'],
      ].map(([path, what, column]) => ({
        path,
        message: `${what}, because the operator's own relation has no column ${column}: leave it out`,
      })),
    )
    const { warnings } = await own({ ...body, summary: {} })
    expect(warnings.map(({ path, message }) => [path, message.split(',')[0]])).toEqual([
      ['summary', 'cannot leave out doubtful prices'],
      ['summary', 'cannot count prices'],
    ])
  })

  it('reports the size of the longest statement, even of one that is too long', async () => {
    const estimate = await openEstimates()
    const few = await estimate()
    const npis = Array.from({ length: 10_000 }, (_, index) => 1_000_000_000 + index)
    const codes = Array.from({ length: 2000 }, (_, index) => `${'X'.repeat(60)}${index}`)
    const plans = Array.from({ length: 100 }, (_, index) => ({ payer, plan: `${'X'.repeat(190)} ${index}` }))
    const many = await estimate({ ...body, npis, billing_codes: codes, fee_schedules: plans })
    expect(few.statement_bytes).toBeGreaterThan(1000)
    expect(few.statement_bytes).toBeLessThan(10_000)
    expect(many.statement_bytes).toBeGreaterThan(maxStatementBytes)
  })
})

describe('fee schedules that cannot be searched', () => {
  const ask = (...pairs: readonly { payer: string; plan: string }[]) => ({ ...body, fee_schedules: pairs })

  it('come with the plans of nearest names', async () => {
    const entries = ['Gold PPO', 'Silver PPO', 'Gold PPO Plus'].map((plan) => newEntry({ plan }))
    const estimate = await openEstimates({ entries })
    const { fee_schedules, files } = await estimate(ask({ payer, plan: 'Golden PPO' }))
    expect(fee_schedules).toStrictEqual([
      { payer, plan: 'Golden PPO', exists: false, nearest: [{ payer, plan: 'Gold PPO' }] },
    ])
    expect(files).toBe(0)
  })

  it('come with the same plan of a payer of nearest name', async () => {
    const estimate = await openEstimates()
    const { fee_schedules } = await estimate(ask({ payer: 'Acme Helth', plan: 'Gold PPO' }))
    expect(fee_schedules[0]).toMatchObject({ exists: false, nearest: [{ payer, plan: 'Gold PPO' }] })
    const part = await estimate(ask({ payer: 'Acme', plan: 'Gold' }))
    expect(part.fee_schedules[0]).toMatchObject({ exists: false, nearest: [{ payer, plan: 'Gold PPO' }] })
    const strange = await estimate(ask({ payer: 'Zenith of the Northern Counties', plan: 'Gold PPO' }))
    expect(strange.fee_schedules[0]).toMatchObject({ exists: false, nearest: [] })
  })

  it('come with their variants if their name is ambiguous', async () => {
    const entries: CatalogueEntry[] = [
      newAmbiguousEntry({ plan: 'PPO' }),
      newEntry({ plan: 'PPO (EIN 111111111)', variantOf: 'PPO' }),
      newEntry({ plan: 'PPO (EIN 222222222)', variantOf: 'PPO' }),
    ]
    const estimate = await openEstimates({ entries })
    const { fee_schedules } = await estimate(ask({ payer, plan: 'PPO' }, { payer, plan: 'PPO (EIN 111111111)' }))
    expect(fee_schedules).toMatchObject([
      { plan: 'PPO (EIN 111111111)', exists: true },
      {
        plan: 'PPO',
        exists: false,
        nearest: [
          { payer, plan: 'PPO (EIN 111111111)' },
          { payer, plan: 'PPO (EIN 222222222)' },
        ],
      },
    ])
  })

  it('lists all of them, and looks up suggestions for the first ten', async () => {
    const estimate = await openEstimates()
    const wrong = Array.from({ length: 15 }, (_, index) => ({ payer, plan: `Gold PPO ${index + 10}` }))
    const { fee_schedules } = await estimate(ask(...wrong))
    expect(fee_schedules).toHaveLength(15)
    expect(fee_schedules.filter(({ nearest }) => nearest.length > 0)).toHaveLength(10)
  })
})

describe('the warnings of an estimate', () => {
  it('name codes that files may write like those of the request, but that it does not find', async () => {
    const estimate = await openEstimates()
    const warningsOf = async (...billing_codes: string[]) => (await estimate({ ...body, billing_codes })).warnings
    expect(await warningsOf('0470')).toEqual([
      {
        path: 'billing_codes',
        message: 'files may write 0470 for MS-DRG 470, which this search does not find: add the latter code if meant',
      },
    ])
    expect(await warningsOf('0470', '470')).toEqual([])
    expect(await warningsOf('99213', '470', '450', '00470', 'J1885', '81.54', '0002-7597-01', '0001A')).toEqual([])
  })

  it('name NPIs whose check digit is wrong, ten at most', async () => {
    const estimate = await openEstimates()
    const one = await estimate({ ...body, npis: [0, 1003000126, 1003000127] })
    expect(one.warnings).toEqual([{ path: 'npis', message: '1 NPI has a wrong check digit: 1003000127' }])
    const npis = Array.from({ length: 30 }, (_, index) => 1_000_000_000 + index)
    const { warnings } = await estimate({ ...body, npis })
    expect(warnings).toHaveLength(1)
    expect(warnings[0]?.message).toMatch(/^27 NPIs have a wrong check digit: (\d{10}, ){9}\d{10} and 17 more$/)
    const ten = npis.filter((npi) => warnings[0]?.message.includes(String(npi)))
    expect((await estimate({ ...body, npis: ten })).warnings[0]?.message).toMatch(/: (\d{10}, ){9}\d{10}$/)
    expect((await estimate({ billing_codes: ['99213'], fee_schedules: body.fee_schedules })).warnings).toEqual([])
  })

  it('say that the search would fail if only another part was loaded', async () => {
    const plans = ['Gold PPO', 'Silver PPO', 'Bronze PPO']
    const entries = plans.map((plan) => newEntry({ plan, filterId: 'filter-1' }))
    const estimate = await openEstimates({ entries, filters: [{ id: 'filter-1', codes: ['99214'] }] })
    const warn = async (count: number) =>
      (await estimate({ ...body, fee_schedules: plans.slice(0, count).map((plan) => ({ payer, plan })) })).warnings
    const warnings = await warn(2)
    const message =
      'the search would fail: of "Gold PPO" of "Acme Health" and 1 more fee schedule, the billing codes 99213 were not loaded'
    expect(warnings).toEqual([{ path: 'fee_schedules', message }])
    expect((await warn(1))[0]?.message).toContain('of "Acme Health", the billing codes')
    expect((await warn(3))[0]?.message).toContain(' and 2 more fee schedules, the billing codes')
    expect((await estimate({ ...body, billing_codes: ['99214'] })).warnings).toEqual([])
  })
})

describe('an estimate is refused', () => {
  it('refuses a body that a search refuses, with every fault', async () => {
    const estimate = await openEstimates()
    const refused = await estimate({ npis: [1], fee_schedules: [] }).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(InvalidRequest)
    const { details } = refused instanceof InvalidRequest ? refused : { details: [] }
    expect(details.map(({ path }) => path)).toEqual(['npis[0]', 'fee_schedules'])
  })

  it('over the limit before anything is read, which refused bodies do not use up', async () => {
    const catalogue = createMemoryCatalogue([newEntry()])
    const estimate = await openEstimates({ catalogue, limits: { searches: 1, perMinute: 2 } })
    for (let wrong = 0; wrong < 4; wrong++) await expect(estimate({})).rejects.toThrow(InvalidRequest)
    for (let right = 0; right < 2; right++) await expect(estimate()).resolves.toMatchObject({ files: 1 })
    catalogue.find = () => Promise.reject(new Error('read'))
    await expect(estimate()).rejects.toThrow(RateLimited)
  })

  it('to those without a key, before the body is read', async () => {
    const estimate = await openEstimates()
    await expect(estimate({}, unknownKey)).rejects.toThrow(Unauthorized)
    await expect(estimate({}, revokedKey)).rejects.toThrow(Forbidden)
  })
})
