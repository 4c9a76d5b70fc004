import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RemoteFiles } from '../../../fetch/remote/remote-files.ts'
import type { LoadRequest } from '../../../loader/publish/load-request.ts'
import { describeDryRun, planLoad } from '../../../loader/run/dry-run.ts'
import { buildFile } from '../../builders/in-network-builder.ts'
import { openTestRemote } from '../../builders/remote-files.ts'
import { buildPlan, buildTableOfContents } from '../../builders/table-of-contents-builder.ts'
import { createTestWarehouse, type TestWarehouse } from '../../builders/test-warehouse.ts'
import { type PayerSite, startPayerSite } from '../../doubles/payer-site.ts'

let site: PayerSite
let remote: RemoteFiles
let warehouse: TestWarehouse

beforeEach(async () => {
  vi.stubEnv('http_proxy', '')
  site = await startPayerSite()
  remote = openTestRemote(() => site.now)
  warehouse = await createTestWarehouse()
})

afterEach(async () => {
  await warehouse[Symbol.asyncDispose]()
  await remote[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
  vi.unstubAllEnvs()
})

const plan = (request: Partial<LoadRequest>) =>
  planLoad(
    { files: [], ...request },
    { ...warehouse, warehouse: warehouse.folder, now: () => site.now, newId: () => 'id', remote, workers: 2 },
  )

describe('a dry run', () => {
  it('lists plans, files and sizes, and reads no in-network file', async () => {
    site.files.set('/a.json', { body: Buffer.alloc(100_000_000) })
    site.files.set('/b.json.gz', { body: Buffer.alloc(5_000_000), signed: true })
    const gold = { plans: [buildPlan('Gold')], files: [`${site.url}/a.json`, site.sign('/b.json.gz', 60)] }
    const silver = { plans: [buildPlan('Silver')], files: [`${site.url}/a.json`, `${site.url}/none.json?token=secret`] }
    site.files.set('/toc.json', { body: Buffer.from(JSON.stringify(buildTableOfContents(gold, silver))) })
    const dryRun = await plan({ toc: `${site.url}/toc.json` })
    const missing = `${site.url}/none.json?…: answers 404 Not Found`
    expect(dryRun).toEqual({
      plans: [{ name: 'Blue Harbor Health / Gold (HIOS 0123456789)', files: 2, bytes: 105_000_000 }],
      leftOut: [expect.objectContaining({ name: 'Blue Harbor Health / Silver (HIOS 0123456789)', reason: missing })],
      files: [
        { file: `${site.url}/a.json`, bytes: 100_000_000, outcome: 'new' },
        { file: `${site.url}/b.json.gz`, bytes: 5_000_000, outcome: 'new' },
        { file: `${site.url}/none.json?…`, bytes: undefined, outcome: 'unreachable', reason: missing },
      ],
      bytes: 105_000_000,
      unknownSizes: 0,
      expectedSeconds: 2,
    })
    expect(describeDryRun(dryRun, 2).split('\n')).toEqual([
      'Would read 2 files: 105 MB',
      `  ${site.url}/a.json: 100 MB`,
      `  ${site.url}/b.json.gz: 5 MB`,
      '1 file cannot be read',
      `  ${missing}`,
      'Would load 1 plan',
      '  Blue Harbor Health / Gold (HIOS 0123456789): 2 files, 105 MB',
      'Would leave out 1 plan',
      `  Blue Harbor Health / Silver (HIOS 0123456789): ${missing}`,
      'About 2 s with 2 workers, if fetching is no slower than reading',
      'Nothing was loaded.',
    ])
    expect(site.sentOf('/a.json') + site.sentOf('/b.json.gz')).toBe(2)
    expect(warehouse.catalogue.entries.size).toBe(0)
  })

  it('knows files that have not changed since an earlier load', async () => {
    site.files.set('/a.json.gz', { body: gzipSync(JSON.stringify(buildFile())) })
    const local = await warehouse.write('b.json', buildFile({ plan_name: 'Harbor PPO Silver' }))
    const files = [`${site.url}/a.json.gz`, local]
    expect((await plan({ files })).files.map(({ outcome }) => outcome)).toEqual(['new', 'new'])
    await warehouse.load({ files }, { remote })
    const dryRun = await plan({ files })
    expect(dryRun.files.map(({ outcome }) => outcome)).toEqual(['unchanged', 'unchanged'])
    expect(describeDryRun(dryRun, 1)).toContain('2 files unchanged since an earlier load, not read again')
    expect((await plan({ files, strict: true })).files.map(({ outcome }) => outcome)).toEqual(['new', 'new'])
  })

  it('is refused or leaves plans out where the load would before it reads files', async () => {
    const plans = ['A', 'B', 'C'].map((name) => ({ plans: [buildPlan(name)], files: ['a.json'] }))
    await warehouse.write('a.json', buildFile())
    await warehouse.load({ files: [], toc: await warehouse.write('toc.json', buildTableOfContents(...plans)) })
    const emptied = await warehouse.write('toc.json', buildTableOfContents({ plans: [buildPlan('A')], files: [] }))
    await expect(plan({ toc: emptied })).rejects.toThrow('lists 1 of the 3 plans that it listed before')
    const { leftOut } = await plan({ toc: emptied, replace: true })
    expect(leftOut).toMatchObject([{ reason: 'the table of contents no longer lists an in-network file for it' }])
  })

  it('names files of unknown size', async () => {
    site.files.set('/a.json', { body: Buffer.from('{}'), ranges: false, chunked: true })
    const dryRun = await plan({ files: [`${site.url}/a.json`] })
    expect(describeDryRun(dryRun, 1)).toContain('Would read 1 file: 0 kB, and 1 file of unknown size')
  })
})
