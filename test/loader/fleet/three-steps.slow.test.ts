import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { LoadReport } from '../../../loader/run/load-report.ts'
import type { LoadOrder } from '../../../schema/load-order.ts'
import { buildFile, buildItem, buildPrice } from '../../builders/in-network-builder.ts'
import { openTestRemote } from '../../builders/remote-files.ts'
import { buildPlan, buildTableOfContents } from '../../builders/table-of-contents-builder.ts'
import { createTestWarehouse, type TestWarehouse } from '../../builders/test-warehouse.ts'
import { type PayerSite, startPayerSite } from '../../doubles/payer-site.ts'
import { describeReport, inspect } from './describe-loads.ts'
import { createTestFleet } from './test-fleet.ts'

let site: PayerSite

beforeEach(async () => {
  vi.stubEnv('http_proxy', '')
  site = await startPayerSite()
})

afterEach(async () => {
  await site[Symbol.asyncDispose]()
  vi.unstubAllEnvs()
})

const json = (value: object | string) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
const priced = (rate: number, fields = {}) =>
  buildFile({ in_network: [buildItem({ prices: [buildPrice({ negotiated_rate: rate })] })], ...fields })
const referring = (fields = {}) => priced(5, { provider_references: [{ provider_group_id: 1, ...fields }] })
const groups = (npi: number) => ({ provider_groups: [{ npi: [npi], tin: { type: 'ein', value: '123456789' } }] })

/** A month of a payer: files that are equal, broken, missing, and refer to others; plans without files or names. */
function publish(month: number) {
  const reference = { location: `${site.url}/groups.json` }
  const files: Readonly<Record<string, Buffer>> = {
    '/a.json': json(priced(month)),
    '/same-as-a.json.gz': gzipSync(json(priced(month))),
    '/b.json': json(priced(month + 10)),
    '/unchanged.json': json(priced(20)),
    '/refers.json': json(referring(reference)),
    '/refers-too.json': json(referring(reference)),
    '/broken.json': json('{"in_network": [{]}'),
    '/odd.json': json(priced(30, { in_network: [buildItem({ prices: [buildPrice({ negotiated_rate: '7.5' })] })] })),
    '/groups.json': json(groups(1000000002)),
  }
  for (const [path, body] of Object.entries(files)) site.files.set(path, { body })
  const url = (name: string) => `${site.url}/${name}`
  const contents = buildTableOfContents(
    { plans: [buildPlan('Gold'), buildPlan('Gold', { plan_id: '0000000002' })], files: [url('a.json'), url('b.json')] },
    { plans: [buildPlan('Silver')], files: [url('same-as-a.json.gz'), url('a.json'), url('unchanged.json')] },
    { plans: [buildPlan('Bronze')], files: [url('refers-too.json'), url('refers.json'), url('odd.json')] },
    { plans: [buildPlan('Broken')], files: [url('broken.json'), url('b.json')] },
    { plans: [buildPlan('Missing')], files: [url('gone.json'), url('unchanged.json')] },
    { plans: [buildPlan('Empty')], files: [] },
    { plans: [buildPlan('PPO (EIN 222222222)')], files: [url('b.json')] },
    ...(month === 1 ? [{ plans: [buildPlan('Vanishing')], files: [url('b.json')] }] : []),
  )
  site.files.set('/toc.json', { body: json(contents) })
}

/** Loads two months, the second after the first. */
async function loadMonths(
  load: (warehouse: TestWarehouse, loadId: string) => Promise<LoadReport>,
): Promise<readonly object[]> {
  await using warehouse = await createTestWarehouse()
  const months: object[] = []
  for (const month of [1, 2]) {
    publish(month)
    months.push({ report: describeReport(await load(warehouse, `month${month}`)), ...(await inspect(warehouse)) })
  }
  return months
}

describe('a load in three steps by several workers', () => {
  it.each<[string, Partial<LoadOrder>]>([
    ['of whole plans', {}],
    ['of partial plans', { partial: true, keepMissing: true }],
  ])('%s has the catalogue, the rows and the report of one process', async (_, request) => {
    const toc = `${site.url}/toc.json`
    const alone = await loadMonths(async (warehouse) => {
      await using remote = openTestRemote(() => site.now)
      return await warehouse.load({ files: [], toc, ...request }, { remote })
    })
    const fleets = new Map<TestWarehouse, ReturnType<typeof createTestFleet>>()
    const together = await loadMonths((warehouse, loadId) => {
      const fleet = fleets.get(warehouse) ?? createTestFleet(warehouse)
      fleets.set(warehouse, fleet)
      return fleet.load(loadId, { toc, ...request }, 3)
    })
    expect(alone[1]).toMatchObject({
      report: { takenOver: 3, leftOut: expect.arrayContaining([expect.anything()]) },
      rows: expect.arrayContaining([expect.anything()]),
    })
    expect(together).toEqual(alone)
  })

  it('writes the same rows as one process if the operator lists the files', async () => {
    publish(1)
    const files = ['a.json', 'same-as-a.json.gz', 'b.json'].map((name) => `${site.url}/${name}`)
    await using first = await createTestWarehouse()
    await using remote = openTestRemote(() => site.now)
    const alone = describeReport(await first.load({ files, payer: 'Harbor', plan: 'Gold' }, { remote }))
    await using second = await createTestWarehouse()
    const together = describeReport(
      await createTestFleet(second).load('l1', { files, payer: 'Harbor', plan: 'Gold' }, 2),
    )
    expect(together).toEqual(alone)
    expect(await inspect(second)).toEqual(await inspect(first))
  })

  it('leaves out an older publication unless its order allows it', async () => {
    await using warehouse = await createTestWarehouse()
    const fleet = createTestFleet(warehouse)
    const files = [`${site.url}/a.json`]
    const publishOn = (day: string) =>
      void site.files.set('/a.json', { body: json(priced(1, { last_updated_on: day })) })
    publishOn('2026-11-01')
    await fleet.load('november', { files }, 2)
    publishOn('2026-10-01')
    await expect(fleet.load('october', { files }, 2)).rejects.toThrow('use --allow-older if these are right')
    await fleet.load('october-again', { files, allowOlder: true }, 2)
    expect(await warehouse.readRates()).toMatchObject([{ last_updated_on: '2026-10-01' }])
  })

  it('fails for the same reasons as one process, and switches nothing', async () => {
    publish(1)
    const toc = `${site.url}/toc.json`
    const reason = async (load: (warehouse: TestWarehouse) => Promise<unknown>) => {
      await using warehouse = await createTestWarehouse()
      const error: unknown = await load(warehouse).catch((thrown: unknown) => thrown)
      expect(warehouse.catalogue.entries.size).toBe(0)
      return [String(error), await inspect(warehouse)]
    }
    for (const request of [{ maxFailed: 0.1 }, { plan: 'Unknown' }]) {
      await using remote = openTestRemote(() => site.now)
      const alone = await reason((warehouse) => warehouse.load({ files: [], toc, ...request }, { remote }))
      expect(alone[0]).toMatch(/^(NothingLoaded|LoadRefused): /)
      expect(await reason((warehouse) => createTestFleet(warehouse).load('l1', { toc, ...request }, 2))).toEqual(alone)
    }
  })
})
