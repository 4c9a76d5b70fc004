import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { LoadDeps, LoadRequest } from '../../../loader/load-request.ts'
import type { Fields } from '../../builders/in-network-builder.ts'
import { buildFile, buildItem, buildPrice, buildReference } from '../../builders/in-network-builder.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'

const content: Fields = buildFile({
  in_network: Array.from({ length: 12 }, (_, index) =>
    buildItem({
      ...{ references: [1 + (index % 3)], billing_code: String(99_200 + index) },
      prices: [buildPrice({ negotiated_rate: index }), buildPrice({ negotiated_rate: index === 7 ? 'none' : 1.5 })],
    }),
  ),
  provider_references: [1, 2].map((provider_group_id) => buildReference({ provider_group_id })),
})

const cutting = { least: 1, smallest: 1000, largest: 2000 }

/** The files are named as they are given, and hold the same unless a text is given. */
async function load(
  files: Readonly<Record<string, string | Uint8Array>>,
  request: Partial<LoadRequest>,
  deps: Pick<LoadDeps, 'workers' | 'cutting' | 'onProgress'>,
) {
  await using warehouse = await createTestWarehouse()
  const paths: string[] = []
  for (const [name, text] of Object.entries(files)) paths.push(await warehouse.write(name, text))
  const report = await warehouse.load({ files: paths, maxSkipped: 0.5, ...request }, deps).catch(String)
  const folder = paths[0]?.replace(/[^/]*$/, '') ?? ''
  const shown =
    typeof report === 'string'
      ? report.replaceAll(folder, '')
      : report.files.map(({ file: _file, sourceId: _id, ...facts }) => facts)
  const tables = (await warehouse.listFiles())
    .filter((name) => name.endsWith('.parquet'))
    .map((name) => name.split('/').at(-1))
  return { shown, rows: await warehouse.readRates(), staging: await warehouse.listStaging(), tables }
}

describe('a large file with several workers', () => {
  afterEach(() => void vi.unstubAllEnvs())

  it('has the catalogue, the rows and the report of one process, and the files of many pieces', async () => {
    const files = { 'a.json': JSON.stringify(content) }
    const { tables: _one, ...one } = await load(files, {}, { workers: 1 })
    const { tables, ...cut } = await load(files, {}, { workers: 2, cutting })
    expect(one.rows).toHaveLength(15)
    expect(cut).toEqual(one)
    expect(tables).toContain('part-00003-00000.parquet')
  }, 120_000)

  it('is loaded beside other files', async () => {
    const other = JSON.stringify(buildFile({ plan_name: 'Other' }))
    const files = {
      'a.json': JSON.stringify(content),
      'b.json': other,
      'c.json.gz': gzipSync(JSON.stringify({ ...content, plan_name: 'Packed' })),
    }
    const { tables: _one, ...one } = await load(files, {}, { workers: 1 })
    const { tables: _cut, ...cut } = await load(files, {}, { workers: 3, cutting })
    expect(cut).toEqual(one)
  }, 120_000)

  it('is read once if it is a named pipe, which has no size and cannot be cut', async () => {
    await using warehouse = await createTestWarehouse()
    const path = `${await warehouse.write('a.txt', '')}.json`
    await promisify(execFile)('mkfifo', [path])
    const [report] = await Promise.all([
      warehouse.load({ files: [path] }, { workers: 2, cutting }),
      writeFile(path, JSON.stringify(buildFile())),
    ])
    expect(report.files).toMatchObject([{ prices: 1 }])
  }, 60_000)

  it.each([
    ['is cut short', JSON.stringify(content).slice(0, -300), {}],
    ['is not JSON in an item', JSON.stringify(content).replace('"99205"', '99205"'), {}],
    ['loses too much', JSON.stringify(content), { maxSkipped: 0.1 }],
    ['is strict', JSON.stringify(content), { strict: true }],
  ])(
    'is refused as one process refuses it if it %s',
    async (_title, text, request) => {
      const one = await load({ 'a.json': text }, request, { workers: 1 })
      expect(one.shown).toContain('a.json')
      expect(await load({ 'a.json': text }, request, { workers: 2, cutting })).toEqual(one)
    },
    60_000,
  )

  it('reports all of its bytes and prices', async () => {
    const text = JSON.stringify(content)
    const told: unknown[] = []
    await load({ 'a.json': text }, {}, { workers: 2, cutting, onProgress: (progress) => void told.push(progress) })
    const size = Buffer.byteLength(text)
    expect(told).toContainEqual(
      expect.objectContaining({ step: 'read', bytesRead: size, size, prices: 24, isRead: true }),
    )
  }, 120_000)

  it('is refused if one of its workers ends, and the other is ended', async () => {
    await using warehouse = await createTestWarehouse()
    const path = await warehouse.write('a.json', JSON.stringify(content))
    vi.stubEnv('NODE_OPTIONS', `${process.env['NODE_OPTIONS'] ?? ''} --import ${import.meta.dirname}/end-worker.ts`)
    const loaded = warehouse.load({ files: [path], maxSkipped: 0.5 }, { workers: 2, cutting })
    await expect(loaded).rejects.toThrow('the process that read it ended by exit code 3')
    expect(await warehouse.listStaging()).toEqual([])
    expect(process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap')).toEqual([])
  }, 120_000)
})
