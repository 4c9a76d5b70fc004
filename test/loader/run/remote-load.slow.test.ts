import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readHead } from '../../../loader/collect/read-head.ts'
import type { LoadProgress, LoadRequest } from '../../../loader/publish/load-request.ts'
import { buildFile, buildItem, buildReference } from '../../builders/in-network-builder.ts'
import { remote, site, useRemoteSite } from '../../builders/remote-files.ts'
import { buildDatedContents, buildPlan, buildTableOfContents } from '../../builders/table-of-contents-builder.ts'
import { createTestWarehouse, type TestWarehouse } from '../../builders/test-warehouse.ts'

let warehouse: TestWarehouse

useRemoteSite()

beforeEach(async () => {
  warehouse = await createTestWarehouse()
})

afterEach(() => warehouse[Symbol.asyncDispose]())

const json = (value: object) => Buffer.from(JSON.stringify(value))
const ratesOf = (code: string) => json(buildFile({ in_network: [buildItem({ billing_code: code })] }))
const load = (request: Partial<LoadRequest>, options: { readonly workers?: number } = {}) =>
  warehouse.load({ files: [], ...request }, { remote, ...options })
const codes = async () => (await warehouse.readRates()).map((row) => row['billing_code']).toSorted()
const requestsOf = (path: string) => site.requests.filter((request) => request.path === path).length

/** A table of contents whose files are signed anew each time that it is read. */
function serveSigned(files: Readonly<Record<string, Buffer>>, seconds: number, date = () => '2026-11-01') {
  for (const [path, body] of Object.entries(files)) site.files.set(path, { body, signed: true })
  const entries = () =>
    Object.keys(files).map((path) => ({ plans: [buildPlan(`Plan ${path}`)], files: [site.sign(path, seconds)] }))
  const renew = () =>
    site.files.set('/toc.json', { body: json(buildDatedContents(date(), ...entries())), onRequest: () => renew() })
  renew()
}

describe('a load from a web server', () => {
  it('reads a table of contents and its files, plain and packed, by signed URLs', async () => {
    site.files.set('/b.json.gz', { body: gzipSync(ratesOf('99214')), signed: true })
    serveSigned({ '/a.json': ratesOf('99213'), '/b.json.gz': gzipSync(ratesOf('99214')) }, 3600)
    const report = await load({ toc: `${site.url}/toc.json` })
    expect(report).toMatchObject({ leftOut: [], files: [{ name: 'a.json' }, { name: 'b.json.gz' }] })
    expect(await codes()).toEqual(['99213', '99214'])
    expect(JSON.stringify(report)).not.toContain('X-Amz')
  })

  it.each([
    'rates.json',
    './rates.json',
    '../month/rates.json',
    '/month/rates.json',
    'HOST/month/rates.json',
    'rates.json?v=1',
    ' rates.json ',
  ])('resolves the location %j against the address of its table of contents', async (written) => {
    const location = written.replace('HOST', site.url.replace('http:', ''))
    site.files.set('/month/rates.json', { body: ratesOf('99213') })
    site.files.set('/month/toc.json', {
      body: json(buildTableOfContents({ plans: [buildPlan('Gold')], files: [location] })),
    })
    const report = await load({ toc: `${site.url}/month/toc.json` })
    expect(report).toMatchObject({ leftOut: [], files: [{ name: 'rates.json' }] })
    expect(await codes()).toEqual(['99213'])
  })

  it('resolves the location of provider groups against the address of their file', async () => {
    const groups = { provider_groups: [{ npi: [1000000002], tin: { type: 'ein', value: '123456789' } }] }
    site.files.set('/month/groups/1.json', { body: json(groups) })
    const reference = { provider_group_id: 1, location: 'groups/1.json' }
    site.files.set('/month/rates.json', { body: json(buildFile({ provider_references: [reference] })) })
    await load({ files: [`${site.url}/month/rates.json`] })
    expect((await warehouse.readRates()).map(({ npi }) => npi)).toEqual(['1000000002'])
  })

  it('resolves locations against the address to which a server redirects', async () => {
    const redirect = (location: string) => ({
      body: Buffer.alloc(0),
      instead: Array(9).fill({ status: 302, headers: { location } }),
    })
    const groups = { provider_groups: [{ npi: [1000000002], tin: { type: 'ein', value: '123456789' } }] }
    const reference = { provider_group_id: 1, location: 'groups.json' }
    site.files.set('/latest.json', redirect('/2026/11/toc.json'))
    site.files.set('/2026/11/toc.json', {
      body: json(buildTableOfContents({ plans: [buildPlan('Gold')], files: ['rates.json'] })),
    })
    site.files.set('/2026/11/rates.json', redirect('/store/a/rates.json'))
    site.files.set('/store/a/rates.json', { body: json(buildFile({ provider_references: [reference] })) })
    site.files.set('/store/a/groups.json', { body: json(groups) })
    expect(await load({ toc: `${site.url}/latest.json` })).toMatchObject({ leftOut: [] })
    expect((await warehouse.readRates()).map(({ npi }) => npi)).toEqual(['1000000002'])
    const head = await readHead(`${site.url}/2026/11/rates.json`, { remote, assumesVersion: false })
    expect(head.linked).toMatchObject([{ location: `${site.url}/store/a/groups.json` }])
  })

  it.each([1, 2])('reads files by URL with %d workers, and the files that they refer to', async (workers) => {
    const groups = { provider_groups: [{ npi: [1000000002], tin: { type: 'ein', value: '123456789' } }] }
    site.files.set('/groups.json', { body: json(groups), signed: true })
    const reference = { provider_group_id: 1, location: site.sign('/groups.json', 3600) }
    for (const [path, code] of [['/a.json', '99213'] as const, ['/b.json', '99214'] as const]) {
      const file = buildFile({ provider_references: [reference], in_network: [buildItem({ billing_code: code })] })
      site.files.set(path, { body: json(file), signed: true })
    }
    const files = ['/a.json', '/b.json'].map((path) => remote.locations.learn(site.sign(path, 3600)))
    await load({ files }, { workers })
    expect((await warehouse.readRates()).map(({ npi }) => npi)).toEqual(['1000000002', '1000000002'])
  })

  it('leaves out the plans of files that cannot be fetched, and names them without signatures', async () => {
    serveSigned({ '/a.json': ratesOf('99213'), '/b.json': ratesOf('99214') }, 3600)
    site.files.delete('/b.json')
    const report = await load({ toc: `${site.url}/toc.json` })
    expect(JSON.stringify(report)).not.toContain('X-Amz')
    expect(report.leftOut).toMatchObject([{ reason: `${site.url}/b.json: answers 404 Not Found` }])
    expect(await codes()).toEqual(['99213'])
  })

  it('continues files that are cut', async () => {
    const body = ratesOf('99213')
    site.files.set('/a.json', { body, cutAfter: 100 })
    await load({ files: [`${site.url}/a.json`] })
    expect(await codes()).toEqual(['99213'])
    expect(site.sentOf('/a.json')).toBe(body.length)
  })

  it('reads a file again that is replaced while it is read', async () => {
    const other = buildFile({ reporting_entity_name: 'Other', in_network: [buildItem({ billing_code: '99214' })] })
    site.files.set('/a.json', {
      body: ratesOf('99213'),
      etag: '"v1"',
      cutAfter: 400,
      onRequest: ({ range }) => {
        if (range !== undefined) site.files.set('/a.json', { body: json(other), etag: '"v2"' })
      },
    })
    await load({ files: [`${site.url}/a.json`] })
    expect(await codes()).toEqual(['99214'])
    expect(site.requests.map(({ range }) => range)).toEqual([undefined, 'bytes=400-', undefined])
    expect(await warehouse.listWorkspaces()).toEqual([])
  })

  it.each([1, 2])('takes fresh signatures from the table of contents with %d workers', async (workers) => {
    const files = { '/a.json': ratesOf('99213'), '/b.json': ratesOf('99214'), '/c.json': ratesOf('99215') }
    serveSigned(files, 60)
    const expire = (path: string) => {
      const file = site.files.get(path)
      const onRequest = () => {
        site.now = new Date(site.now.getTime() + 600_000)
        site.files.set(path, { body: files['/a.json'], signed: true })
      }
      if (file !== undefined) site.files.set(path, { ...file, onRequest })
    }
    expire('/a.json')
    const report = await load({ toc: `${site.url}/toc.json` }, { workers })
    expect(report.leftOut).toEqual([])
    expect(await codes()).toEqual(['99213', '99214', '99215'])
    expect(requestsOf('/toc.json')).toBe(2)
  })

  it.each([1, 2])('stops if the table of contents is published again, with %d workers', async (workers) => {
    let date = '2026-11-01'
    serveSigned({ '/a.json': ratesOf('99213'), '/b.json': ratesOf('99214') }, 60, () => date)
    const file = site.files.get('/a.json')
    const onRequest = () => {
      site.now = new Date(site.now.getTime() + 600_000)
      date = '2026-12-01'
      serveSigned({ '/a.json': ratesOf('99213'), '/b.json': ratesOf('99214') }, 60, () => date)
    }
    if (file !== undefined) site.files.set('/a.json', { ...file, onRequest })
    await expect(load({ toc: `${site.url}/toc.json` }, { workers })).rejects.toThrow(
      `${site.url}/toc.json was published again during the load (last_updated_on "2026-11-01", now "2026-12-01")`,
    )
    expect(warehouse.catalogue.entries.size).toBe(0)
  })

  it('does not fetch what a local table of contents lists, unless it is told to', async () => {
    site.files.set('/a.json', { body: ratesOf('99213') })
    const contents = buildTableOfContents({ plans: [buildPlan('Gold')], files: [`${site.url}/a.json`] })
    const toc = await warehouse.write('toc.json', contents)
    await expect(load({ toc })).rejects.toThrow('a listed file is missing')
    expect(site.requests).toEqual([])
    await load({ toc, fetch: true })
    expect(await codes()).toEqual(['99213'])
  })

  it('reads a local file instead of fetching it if --files maps its address', async () => {
    const path = await warehouse.write('local.json', ratesOf('99213'))
    const fileMap = await warehouse.write('map.json', { [`${site.url}/a.json`]: path })
    serveSigned({ '/a.json': ratesOf('99214') }, 3600)
    await load({ toc: `${site.url}/toc.json`, fileMap })
    expect(await codes()).toEqual(['99213'])
    expect(requestsOf('/a.json')).toBe(0)
  })

  it('refuses URLs without what fetches them', async () => {
    await expect(warehouse.load({ files: [`${site.url}/a.json?Signature=secret`] })).rejects.toThrow(
      `${site.url}/a.json?…: is a URL: download it, then load the file`,
    )
  })
})

describe('a remote file that an earlier load read', () => {
  const progressOf = async (request: Partial<LoadRequest>) => {
    const steps: string[] = []
    const onProgress = ({ step }: LoadProgress) => {
      if (step === 'reading' || step === 'known') steps.push(step)
    }
    await warehouse.load({ files: [], ...request }, { remote, onProgress })
    return steps
  }

  it('fetches no file again whose size and strong entity tag are the same', async () => {
    site.files.set('/a.json', { body: ratesOf('99213'), etag: '"v1"' })
    const files = [`${site.url}/a.json`]
    expect(await progressOf({ files })).toEqual(['reading'])
    const sent = site.sentOf('/a.json')
    expect(await progressOf({ files })).toEqual(['known'])
    expect(site.sentOf('/a.json')).toBe(sent + 1)
    site.files.set('/a.json', { body: ratesOf('99214'), etag: '"v2"' })
    expect(await progressOf({ files })).toEqual(['reading'])
    expect(await codes()).toEqual(['99214'])
  })

  it.each<[title: string, etag: string | null]>([
    ['a weak entity tag', 'W/"v1"'],
    ['no entity tag', null],
  ])('must be fetched again if it has %s, and keeps its rows if its bytes are the same', async (_title, etag) => {
    site.files.set('/a.json', { body: ratesOf('99213'), etag })
    const files = [`${site.url}/a.json`]
    await load({ files })
    expect(await progressOf({ files })).toEqual(['reading'])
    expect(await load({ files })).toMatchObject({ switched: [], unchanged: 1 })
  })

  it('fetches a file again if a file that it refers to has changed', async () => {
    const groups = (npi: number) =>
      json({ provider_groups: [{ npi: [npi], tin: { type: 'ein', value: '123456789' } }] })
    site.files.set('/groups.json', { body: groups(1000000001) })
    const reference = buildReference({ location: `${site.url}/groups.json`, provider_groups: undefined })
    site.files.set('/a.json', { body: json(buildFile({ provider_references: [reference] })), etag: '"v1"' })
    const files = [`${site.url}/a.json`]
    expect(await progressOf({ files })).toEqual(['reading'])
    expect(await progressOf({ files })).toEqual(['known'])
    site.files.set('/groups.json', { body: groups(1000000002) })
    expect(await progressOf({ files })).toEqual(['reading'])
    expect(await warehouse.readRates()).toMatchObject([{ npi: '1000000002' }])
    site.files.delete('/groups.json')
    await expect(load({ files })).rejects.toThrow('groups.json: answers 404 Not Found')
  })
})
