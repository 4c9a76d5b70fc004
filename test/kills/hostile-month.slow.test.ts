import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { LoadReport } from '../../loader/run/load-report.ts'
import { buildFile, buildItem, buildPrice } from '../builders/in-network-builder.ts'
import { openTestRemote } from '../builders/remote-files.ts'
import { buildDatedContents, buildPlan } from '../builders/table-of-contents-builder.ts'
import { createTestWarehouse, type TestWarehouse } from '../builders/test-warehouse.ts'
import { type PayerFile, type PayerSite, startPayerSite } from '../doubles/payer-site.ts'
import { describeReport, inspect } from '../loader/fleet/describe-loads.ts'
import { createTestFleet } from '../loader/fleet/test-fleet.ts'

beforeEach(() => vi.stubEnv('http_proxy', ''))
afterEach(() => vi.unstubAllEnvs())

const fileCount = 24

/** Faults in serving a file; the files of the month have one each, in turn. */
const faults: readonly ((body: Buffer) => Partial<PayerFile>)[] = [
  () => ({}),
  () => ({ cutAfter: 700 }),
  () => ({ cutAfter: 900, ranges: false, cuts: 2 }),
  () => ({ cutAfter: 800, etag: null }),
  () => ({ etag: 'W/"weak"', chunked: true }),
  () => ({ instead: [{ status: 503 }, { status: 429, headers: { 'retry-after': '1' } }] }),
  () => ({ cutAfter: 700, shift: 5, cuts: 3 }),
  (body) => ({ declared: body.length + 100, cuts: 1 }),
]

/** A month that is signed for an hour, and whose signatures expire while it is read. */
function publish(site: PayerSite): void {
  const paths = Array.from({ length: fileCount }, (_, index) => {
    const path = `/${index}.json.gz`
    const item = buildItem({
      billing_code: String(10_000 + index),
      prices: Array.from({ length: 40 }, (_each, price) => buildPrice({ negotiated_rate: price + Math.sqrt(index) })),
    })
    const isBroken = index === 8
    const text = isBroken ? '{"in_network": [{]}' : JSON.stringify(buildFile({ in_network: [item] }))
    // Cuts need bytes to be cut.
    const body = gzipSync(text, { level: 0 })
    if (index !== 9) site.files.set(path, { body, signed: true, ...faults[index % faults.length]?.(body) })
    return path
  })
  const entries = () =>
    paths.map((path, index) => ({
      plans: [buildPlan(`Plan ${index}`)],
      files: [site.sign(path, 3600)],
    }))
  const renew = () => {
    const body = Buffer.from(JSON.stringify(buildDatedContents('2026-11-01', ...entries())))
    site.files.set('/toc.json', { body, cutAfter: 5000, onRequest: ({ range }) => void (range ?? renew()) })
  }
  renew()
  const expiring = site.files.get('/12.json.gz')
  const onRequest = () => {
    site.now = new Date(site.now.getTime() + 5_400_000)
    if (expiring !== undefined) site.files.set('/12.json.gz', expiring)
  }
  if (expiring !== undefined) site.files.set('/12.json.gz', { ...expiring, onRequest })
}

async function loadMonth(
  load: (warehouse: TestWarehouse, site: PayerSite, toc: string) => Promise<LoadReport>,
): Promise<string> {
  await using site = await startPayerSite()
  await using warehouse = await createTestWarehouse()
  publish(site)
  const report = await load(warehouse, site, `${site.url}/toc.json`)
  const state = { report: describeReport(report), ...(await inspect(warehouse)) }
  expect(state.rows.length).toBeGreaterThan(40 * 15)
  return JSON.stringify(state, undefined, 1).replaceAll(site.url, 'https://payer.example')
}

it('several workers load the same from a hostile site as one process', async () => {
  const alone = await loadMonth(async (warehouse, site, toc) => {
    await using remote = openTestRemote(() => site.now)
    return await warehouse.load({ files: [], toc }, { remote })
  })
  expect(alone).toContain('404 Not Found')
  expect(alone).toContain('is not JSON')
  expect(alone).not.toContain('403')
  const together = await loadMonth((warehouse, site, toc) =>
    createTestFleet(warehouse, () => site.now).load('l1', { toc }, 4),
  )
  expect(together).toEqual(alone)
}, 240_000)
