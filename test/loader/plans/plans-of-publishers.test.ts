import { describe, expect, it } from 'vitest'
import { findFeeSchedules } from '../../../core/catalogue/word-index/find-fee-schedules.ts'
import type { LoadRequest } from '../../../loader/publish/load-request.ts'
import { planLoad } from '../../../loader/run/dry-run.ts'
import { buildFile, buildItem } from '../../builders/in-network-builder.ts'
import { buildPlan, buildTableOfContents } from '../../builders/table-of-contents-builder.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'

const payer = 'Blue Harbor Health'

/** A warehouse with the plans Gold and Silver of rates.example. */
async function createLoaded() {
  const warehouse = await createTestWarehouse()
  const writeToc = async (host: string, plans: readonly string[], code: string) => {
    await warehouse.write(`${host}/a.json`, buildFile({ in_network: [buildItem({ billing_code: code })] }))
    const entry = {
      plans: plans.map((plan) => buildPlan(plan, { plan_sponsor_name: host })),
      files: [`https://${host}/a.json`],
    }
    return warehouse.write(`${host}/toc.json`, buildTableOfContents(entry))
  }
  const loadToc = async (host: string, plans: readonly string[], code: string, options: Partial<LoadRequest> = {}) =>
    warehouse.load({ toc: await writeToc(host, plans, code), files: [], ...options })
  const codesOf = async (plan: string) => {
    const rows = await warehouse.readRates({ payer, plan })
    return [...new Set(rows.map((row) => row['billing_code']))]
  }
  await loadToc('rates.example', ['Gold', 'Silver'], '99211')
  return { ...warehouse, writeToc, loadToc, codesOf }
}

const fault =
  'it was published by rates.example, and now is by evil.example: use --replace if the payer has moved, or give another name with --payer'

describe('a table of contents of another publisher', () => {
  it('neither replaces nor removes a plan, and loads its own', async () => {
    await using loaded = await createLoaded()
    const { leftOut, removed } = await loaded.loadToc('evil.example', ['Gold', 'Bronze'], '99212')
    expect(leftOut).toMatchObject([{ name: `${payer} / Gold (HIOS 0123456789)`, reason: fault, isKept: true }])
    expect(removed).toEqual([])
    expect(await loaded.codesOf('Gold')).toEqual(['99211'])
    expect(await loaded.codesOf('Silver')).toEqual(['99211'])
    expect(await loaded.codesOf('Bronze')).toEqual(['99212'])
    const sponsoredBy = async (sponsor: string) =>
      (await findFeeSchedules(loaded.catalogue, { sponsor, limit: 10 })).items.map(({ plan }) => plan)
    expect(await sponsoredBy('rates')).toEqual(['Gold', 'Silver'])
    expect(await sponsoredBy('evil')).toEqual(['Bronze'])
  })

  it('replaces nothing in a dry run', async () => {
    await using loaded = await createLoaded()
    const toc = await loaded.writeToc('evil.example', ['Gold', 'Bronze'], '99212')
    const deps = { ...loaded, warehouse: loaded.folder, now: () => new Date(), newId: () => 'id' }
    const { plans, leftOut } = await planLoad({ toc, files: [] }, deps)
    expect(plans.map(({ name }) => name)).toEqual([`${payer} / Bronze (HIOS 0123456789)`])
    expect(leftOut.map(({ reason }) => reason)).toEqual([fault])
  })

  it.each([
    ['--replace', { replace: true }],
    ['--payer', { payer }],
  ])('replaces a plan with %s, and is its publisher from then on', async (_option, options) => {
    await using loaded = await createLoaded()
    await loaded.loadToc('evil.example', ['Gold', 'Silver'], '99212', options)
    expect(await loaded.codesOf('Gold')).toEqual(['99212'])
    const { leftOut } = await loaded.loadToc('evil.example', ['Gold', 'Silver'], '99213')
    expect(leftOut).toEqual([])
    expect(await loaded.codesOf('Gold')).toEqual(['99213'])
  })
})

describe('a plan of a publisher', () => {
  it('allows the next table of contents of the same host to replace and remove its plans', async () => {
    await using loaded = await createLoaded()
    const { leftOut, removed } = await loaded.loadToc('rates.example', ['Gold'], '99212')
    expect({ leftOut, removed: removed.map(({ plan }) => plan) }).toEqual({
      leftOut: [],
      removed: ['Silver (HIOS 0123456789)'],
    })
  })

  it('allows a file that the operator names to replace its plan, which keeps its publisher', async () => {
    await using loaded = await createLoaded()
    const file = buildFile({ plan_name: 'Gold', in_network: [buildItem({ billing_code: '99214' })] })
    await loaded.load({ files: [await loaded.write('own.json', file)] })
    expect(await loaded.codesOf('Gold')).toEqual(['99214'])
    const { leftOut } = await loaded.loadToc('evil.example', ['Gold', 'Bronze'], '99212')
    expect(leftOut.map(({ reason }) => reason)).toEqual([fault])
  })

  it('adopts a plan that was loaded before publishers were stored, as the first to list it', async () => {
    await using loaded = await createLoaded()
    for (const entry of loaded.catalogue.entries.values()) {
      if (entry.state.status !== 'active') continue
      const { publisher: _, ...state } = entry.state
      await loaded.catalogue.replace({ ...entry, version: `${entry.version}x`, state }, entry.version)
    }
    await loaded.loadToc('rates.example', ['Gold', 'Silver'], '99211')
    const { leftOut } = await loaded.loadToc('evil.example', ['Gold', 'Bronze'], '99212')
    expect(leftOut.map(({ reason }) => reason)).toEqual([fault])
  })
})
