import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LoadRequest } from '../../../loader/publish/load-request.ts'
import { describeDryRun } from '../../../loader/run/describe-dry-run.ts'
import { planLoad } from '../../../loader/run/dry-run.ts'
import { buildFile } from '../../builders/in-network-builder.ts'
import { remote, site, useRemoteSite } from '../../builders/remote-files.ts'
import { buildPlan, buildTableOfContents } from '../../builders/table-of-contents-builder.ts'
import { createTestWarehouse, type TestWarehouse } from '../../builders/test-warehouse.ts'

let warehouse: TestWarehouse

useRemoteSite()

beforeEach(async () => {
  warehouse = await createTestWarehouse()
})

afterEach(() => warehouse[Symbol.asyncDispose]())

const plan = (request: Partial<LoadRequest>) =>
  planLoad(
    { files: [], ...request },
    { ...warehouse, warehouse: warehouse.folder, now: () => site.now, newId: () => 'id', remote, workers: 2 },
  )

describe('a dry run', () => {
  it('lists plans, files, sizes and what is active, and reads only the heads of in-network files', async () => {
    // The text behind the head would refuse the load.
    const head = (last_updated_on: string) =>
      `${JSON.stringify(buildFile({ last_updated_on, in_network: undefined })).slice(0, -1)},"in_network":[unread`
    const padded = (bytes: Buffer, size: number) => Buffer.concat([bytes, Buffer.alloc(size - bytes.length)])
    await warehouse.write('old.json', buildFile({ last_updated_on: '2026-10-01' }))
    const before = { plans: [buildPlan('Gold'), buildPlan('Ended')], files: ['old.json'] }
    await warehouse.load({ files: [], toc: await warehouse.write('toc.json', buildTableOfContents(before)) })
    site.files.set('/a.json', { body: padded(Buffer.from(head('2026-11-01')), 100_000_000) })
    site.files.set('/b.json.gz', { body: padded(gzipSync(head('2026-11-02')), 5_000_000), signed: true })
    const gold = { plans: [buildPlan('Gold')], files: [`${site.url}/a.json`, site.sign('/b.json.gz', 60)] }
    const silver = { plans: [buildPlan('Silver')], files: [`${site.url}/a.json`, `${site.url}/none.json?token=secret`] }
    const bronze = { plans: [buildPlan('Bronze')], files: [`${site.url}/a.json`] }
    site.files.set('/toc.json', { body: Buffer.from(JSON.stringify(buildTableOfContents(gold, silver, bronze))) })
    const dryRun = await plan({ toc: `${site.url}/toc.json` })
    const missing = `${site.url}/none.json?…: answers 404 Not Found`
    expect(dryRun).toEqual({
      plans: [
        {
          name: 'Blue Harbor Health / Gold (HIOS 0123456789)',
          files: 2,
          bytes: 105_000_000,
          lastUpdatedOn: '2026-11-02',
          active: { files: 1, lastUpdatedOn: '2026-10-01' },
        },
        {
          name: 'Blue Harbor Health / Bronze (HIOS 0123456789)',
          files: 1,
          bytes: 100_000_000,
          lastUpdatedOn: '2026-11-01',
        },
      ],
      leftOut: [expect.objectContaining({ name: 'Blue Harbor Health / Silver (HIOS 0123456789)', reason: missing })],
      removed: ['Blue Harbor Health / Ended (HIOS 0123456789)'],
      files: [
        { file: `${site.url}/a.json`, bytes: 100_000_000, outcome: 'new' },
        { file: `${site.url}/b.json.gz`, bytes: 5_000_000, outcome: 'new' },
        { file: `${site.url}/none.json?…`, bytes: undefined, outcome: 'unreachable', reason: missing },
      ],
      unopened: 0,
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
      'Would load 2 plans',
      '  Blue Harbor Health / Gold (HIOS 0123456789): 2 files, 105 MB, last updated on 2026-11-02; now 1 file, last updated on 2026-10-01',
      '  Blue Harbor Health / Bronze (HIOS 0123456789): 1 file, 100 MB, last updated on 2026-11-01; new',
      'Would leave out 1 plan',
      `  Blue Harbor Health / Silver (HIOS 0123456789): ${missing}`,
      'Would remove 1 plan, which the table of contents no longer lists',
      '  Blue Harbor Health / Ended (HIOS 0123456789)',
      'About 2 s with 2 workers, if fetching is no slower than reading',
      'Nothing was loaded.',
    ])
    // One that asks for its size, and one that is ended where the head ends.
    expect(site.requests.filter(({ path }) => path === '/a.json')).toHaveLength(2)
    expect(warehouse.contents.sources.size).toBe(1)
  })

  const linking = buildFile({
    provider_references: [1, 2].map((id) => ({ provider_group_id: id, location: `https://a.example/g${id}.json` })),
  })
  const { plan_name: _, plan_id, plan_id_type, plan_market_type, ...nameless } = buildFile()

  it.each<[string, string | object, Partial<LoadRequest>, string]>([
    ['is empty', '', {}, 'is empty'],
    ['is CSV', 'a,b\n1,2\n', {}, 'looks like CSV'],
    ['is not JSON', '{x', {}, 'is not JSON: a field name without quotes at byte 1'],
    ['is a table of contents', buildTableOfContents(), {}, 'in_network is missing: this is a table of contents'],
    ['is of a newer schema', buildFile({ version: '3.0.0' }), {}, 'states schema version 3.0.0'],
    ['points to a missing file', linking, {}, 'provider_references[0].location points to another file'],
    [
      'names no plan before its rates',
      nameless,
      {},
      'names no plan before its rates, and a dry run reads no further: use --plan unless it does so later',
    ],
  ])('refuses, as the load does, a file that %s', async (_title, content, request, fault) => {
    const files = [await warehouse.write('a.json', content), await warehouse.write('b.json', buildFile())]
    const dryRun = await plan({ files, ...request })
    expect(dryRun.files).toMatchObject([{ outcome: 'refused', reason: expect.stringContaining(fault) }, {}])
    expect(dryRun).toMatchObject({ leftOut: [{ name: files[0], reason: expect.stringContaining(fault) }] })
    expect(dryRun.failure).toContain('a file is refused')
    const lines = describeDryRun(dryRun, 1).split('\n')
    expect(lines).toContain('1 file would be refused')
    expect(lines.filter((line) => line.includes(`${files[0]}: ${fault}`))).toHaveLength(1)
    await expect(warehouse.load({ files, ...request })).rejects.toThrow(fault.split(' before its')[0])
  })

  it('reads heads as the options of the load say', async () => {
    const files = [await warehouse.write('a.json', { ...linking, version: '3.0.0', plan_name: undefined })]
    const dryRun = await plan({ files, assumeVersion: 2, partial: true, plan: 'Gold' })
    expect(dryRun.failure).toBeUndefined()
    expect(dryRun.files).toMatchObject([{ outcome: 'new', linked: 2, missing: 2 }])
    expect(describeDryRun(dryRun, 1)).toContain('refers to 2 files (2 missing)')
    expect(dryRun.plans).toMatchObject([{ name: 'Blue Harbor Health / Gold (HIOS 0123456789)' }])
  })

  it('leaves out what is older than the active content or has fewer files, as the load does', async () => {
    const newer = ['a.json', 'b.json'].map((name) => warehouse.write(name, buildFile({ version: name })))
    await warehouse.load({ files: await Promise.all(newer) })
    const october = await warehouse.write('c.json', buildFile({ last_updated_on: '2026-10-01' }))
    const files = [october, await warehouse.write('d.json', buildFile({ plan_name: 'Silver' }))]
    const dryRun = await plan({ files })
    const { leftOut } = await warehouse.load({ files })
    expect(dryRun.leftOut.map(({ reason }) => reason)).toEqual(leftOut.map(({ reason }) => reason))
    expect(dryRun.leftOut).toMatchObject([{ reason: expect.stringMatching(/--allow-older.*; it has 2 files now/) }])
    expect(dryRun.plans).toMatchObject([{ name: expect.stringContaining('Silver') }])
    expect(dryRun.failure).toBeUndefined()
    expect((await plan({ files, maxFailed: 0.1 })).failure).toContain('1 of 2 plans would be left out')
    expect((await plan({ files: [october] })).failure).toBe('nothing is loaded')
    expect((await plan({ files, allowOlder: true, replace: true })).leftOut).toEqual([])
  })

  it('does not compare days that come after the rates', async () => {
    await warehouse.load({ files: [await warehouse.write('a.json', buildFile())] })
    const { last_updated_on: __, ...undated } = buildFile()
    const files = [await warehouse.write('b.json', { ...undated, last_updated_on: '2026-10-01' })]
    expect((await plan({ files })).plans).toMatchObject([{ active: { lastUpdatedOn: '2026-11-01' } }])
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

  it('fails or leaves plans out where the load would before it reads files', async () => {
    const plans = ['A', 'B', 'C'].map((name) => ({ plans: [buildPlan(name)], files: ['a.json'] }))
    await warehouse.write('a.json', buildFile())
    await warehouse.load({ files: [], toc: await warehouse.write('toc.json', buildTableOfContents(...plans)) })
    const emptied = await warehouse.write('toc.json', buildTableOfContents({ plans: [buildPlan('A')], files: [] }))
    await expect(plan({ toc: emptied })).rejects.toThrow('lists 1 of the 3 plans that it listed before')
    const { leftOut } = await plan({ toc: emptied, replace: true })
    expect(leftOut).toMatchObject([{ reason: 'the table of contents no longer lists an in-network file for it' }])
  })

  it('names files of unknown size', async () => {
    site.files.set('/a.json', { body: Buffer.from(JSON.stringify(buildFile())), ranges: false, chunked: true })
    const dryRun = await plan({ files: [`${site.url}/a.json`] })
    expect(describeDryRun(dryRun, 1)).toContain('Would read 1 file: 0 kB, and 1 file of unknown size')
  })
})
