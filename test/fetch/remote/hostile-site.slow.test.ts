import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { buildFile, buildItem } from '../../builders/in-network-builder.ts'
import { remote, site, useRemoteSite } from '../../builders/remote-files.ts'
import { buildPlan, buildTableOfContents } from '../../builders/table-of-contents-builder.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'
import type { PayerFile } from '../../doubles/payer-site.ts'

useRemoteSite()

const busy = (status: number) => ({ status, headers: { 'retry-after': '30' } })
const hour = 3_600_000

/** Faults in serving a file. `isLoaded` is true if the file can be loaded despite its fault. */
const faults: readonly [name: string, isLoaded: boolean, file: Partial<PayerFile>][] = [
  ['sound', true, {}],
  ['cut', true, { cutAfter: 97 }],
  ['cut-weak', true, { cutAfter: 300, cuts: 2, etag: 'W/"1"' }],
  ['cut-untagged', true, { cutAfter: 300, cuts: 1, etag: null }],
  ['cut-without-ranges', true, { cutAfter: 300, cuts: 1, ranges: false }],
  ['chunked', true, { chunked: true }],
  ['busy', true, { instead: [busy(429), busy(503)] }],
  ['failing', true, { instead: [{ status: 500 }, { status: 502 }] }],
  ['expiring', true, { onRequest: () => expire() }],
  ['gone', false, { instead: Array.from({ length: 9 }, () => ({ status: 404 })) }],
  ['denied', false, { instead: Array.from({ length: 9 }, () => ({ status: 403 })) }],
  ['down', false, { instead: Array.from({ length: 9 }, () => ({ status: 503 })) }],
  ['too-short', false, { declared: 100_000 }],
  ['broken-gzip', false, { body: gzipSync('{}').subarray(0, 12) }],
  ['web-page', false, { body: Buffer.from('<html>log in</html>') }],
  ['inward', false, { instead: [{ status: 302, headers: { location: 'http://169.254.169.254/credentials' } }] }],
]

const codeOf = (index: number) => String(10_000 + index)

/** Moves the clock past the expiry of all signatures, once. */
function expire(): void {
  if (site.requests.filter(({ path }) => path === '/expiring.json.gz').length === 1) {
    site.now = new Date(site.now.getTime() + hour)
  }
}

function serveToc(): void {
  const entries = faults.map(([name]) => ({ plans: [buildPlan(name)], files: [site.sign(`/${name}.json.gz`, 1800)] }))
  const body = Buffer.from(JSON.stringify(buildTableOfContents(...entries)))
  site.files.set('/toc.json', { body, onRequest: () => serveToc() })
}

it('loads each sound file once, and leaves out only the plans of broken ones', async () => {
  await using warehouse = await createTestWarehouse()
  for (const [index, [name, , file]] of faults.entries()) {
    const content = buildFile({ in_network: [buildItem({ billing_code: codeOf(index) })] })
    site.files.set(`/${name}.json.gz`, { body: gzipSync(JSON.stringify(content)), signed: true, ...file })
  }
  serveToc()
  const report = await warehouse.load({ toc: `${site.url}/toc.json`, files: [] }, { remote })
  const loaded = faults.flatMap(([, isLoaded], index) => (isLoaded ? codeOf(index) : []))
  const rows = await warehouse.readRates()
  expect(rows.map((row) => row['billing_code']).toSorted()).toEqual(loaded)
  const broken = faults.flatMap(([name, isLoaded]) =>
    isLoaded ? [] : `Blue Harbor Health / ${name} (HIOS 0123456789)`,
  )
  expect(report.leftOut.map(({ name }) => name).toSorted()).toEqual(broken.toSorted())
  expect(JSON.stringify(report)).not.toContain('X-Amz')
  expect(site.requests.filter(({ path }) => path === '/toc.json')).toHaveLength(2)
  expect(await warehouse.listWorkspaces()).toEqual([])
}, 120_000)
