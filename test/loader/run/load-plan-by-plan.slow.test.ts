import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { LoadRequest } from '../../../loader/publish/load-request.ts'
import { NothingLoaded } from '../../../loader/run/load-report.ts'
import { buildFile, buildItem } from '../../builders/in-network-builder.ts'
import { type BuiltEntry, buildPlan, buildTableOfContents } from '../../builders/table-of-contents-builder.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'

const payer = 'Blue Harbor Health'
const addressOf = (name: string) => `https://rates.example/2026/${name}?Expires=1&Signature=a&Key-Pair-Id=K`
const entryOf = (plan: unknown, ...files: (string | null)[]): BuiltEntry => ({
  plans: [typeof plan === 'object' && plan !== null ? plan : buildPlan(plan)],
  files: files.map((name) => (name === null ? null : addressOf(name))),
})

const { plan_name: _, ...unnamed } = buildFile()
const ratesOf = (...codes: string[]) => ({
  ...unnamed,
  in_network: codes.map((code) => buildItem({ billing_code: code })),
})

/** A month's files, each with one code: a.json has 99210, b.json 99211 … */
async function createMonth(...names: string[]) {
  const warehouse = await createTestWarehouse()
  for (const [index, name] of names.entries()) await warehouse.write(name, ratesOf(`9921${index}`))
  return {
    ...warehouse,
    async loadToc(entries: readonly BuiltEntry[], options: Partial<LoadRequest> = {}) {
      const toc = await warehouse.write('toc.json', buildTableOfContents(...entries))
      return warehouse.load({ files: [], toc, ...options })
    },
    codesOf: async (plan: string) =>
      (await warehouse.readRates({ payer, plan })).map((row) => row['billing_code']).sort(),
  }
}

describe('a fault of a table of contents', () => {
  const faults: readonly (readonly [title: string, faulty: readonly BuiltEntry[], reason: string])[] = [
    [
      'a control character in a plan’s name',
      [entryOf('Sil\u0007ver', 'a.json')],
      'must not contain control characters',
    ],
    ['a name that looks like one with a plan id', [entryOf('PPO (EIN 222222222)', 'a.json')], 'plan id'],
    ['two spellings that differ by case', [entryOf('Silver', 'a.json'), entryOf('SILVER', 'b.json')], 'also spelled'],
    ['a null location', [entryOf('Silver', 'a.json', null)], 'in_network_files[1].location must be a string'],
    ['a missing file', [entryOf('Silver', 'a.json', 'gone.json')], 'missing (https://rates.example/2026/gone.json)'],
    ['a file that is not JSON', [entryOf('Silver', 'a.json', 'broken.json')], 'broken.json: is not JSON'],
    ['a file of another kind', [entryOf('Silver', 'other.json')], 'this is a table of contents'],
    ['files without rates', [entryOf('Silver', 'empty.json')], 'its files have no rates'],
  ]

  it.each(faults)('leaves out only the plans that it affects: %s', async (_title, faulty, reason) => {
    await using month = await createMonth('a.json', 'b.json')
    await month.write('broken.json', '{"in_network": [x]}')
    await month.write('other.json', { reporting_structure: [] })
    await month.write('empty.json', ratesOf())
    const report = await month.loadToc([entryOf('Gold', 'a.json'), ...faulty, entryOf('Bronze', 'b.json')])
    expect(report.leftOut).toHaveLength(faulty.length)
    for (const plan of report.leftOut)
      expect(plan).toMatchObject({ isKept: false, reason: expect.stringContaining(reason) })
    expect(await month.codesOf('Gold')).toEqual(['99210'])
    expect(await month.codesOf('Bronze')).toEqual(['99211'])
    expect(await month.codesOf('Silver')).toEqual([])
  })

  it('leaves out the spelling of fewer plans, or the one that is not loaded yet', async () => {
    await using month = await createMonth('a.json', 'b.json')
    const odd = entryOf(buildPlan('Bronze', { issuer_name: payer.toUpperCase() }), 'a.json')
    const { leftOut } = await month.loadToc([entryOf('Gold', 'a.json'), entryOf('Silver', 'b.json'), odd])
    expect(leftOut).toMatchObject([
      { plan: { payer: payer.toUpperCase() }, reason: expect.stringContaining('--payer') },
    ])
    const next = await month.loadToc([
      entryOf('GOLD', 'b.json'),
      entryOf('Gold', 'a.json'),
      entryOf('Silver', 'b.json'),
    ])
    expect(next.leftOut).toMatchObject([{ plan: { plan: 'GOLD' } }])
    expect(await month.codesOf('Gold')).toEqual(['99210'])
  })

  it('fails the load with all reasons if every plan is left out', async () => {
    await using month = await createMonth()
    const error = await month.loadToc([entryOf('Gold', 'gone.json'), entryOf('Sil\u0007ver')]).catch((reason) => reason)
    expect(error).toBeInstanceOf(NothingLoaded)
    expect(error).toMatchObject({
      leftOut: [{ name: expect.stringContaining('Sil\\u0007ver') }, { name: `${payer} / Gold (HIOS 0123456789)` }],
    })
    expect(String(error)).not.toMatch(/[\n\t]/)
  })

  it('keeps the active content, and reports that', async () => {
    await using month = await createMonth('a.json', 'b.json')
    await month.loadToc([entryOf('Gold', 'a.json'), entryOf('Silver', 'b.json')])
    await month.write('a.json', ratesOf('99300'))
    await month.write('b.json', 'broken')
    const { leftOut } = await month.loadToc([entryOf('Gold', 'a.json'), entryOf('Silver', 'b.json')])
    expect(leftOut).toMatchObject([{ plan: { plan: 'Silver' }, isKept: true }])
    expect(await month.codesOf('Gold')).toEqual(['99300'])
    expect(await month.codesOf('Silver')).toEqual(['99211'])
  })

  it('loads nothing if more plans are left out than --max-failed allows', async () => {
    await using month = await createMonth('a.json')
    const entries = [entryOf('Gold', 'a.json'), entryOf('Silver', 'gone.json')]
    await expect(month.loadToc(entries, { maxFailed: 0.4 })).rejects.toThrow('1 of 2 plans would be left out')
    expect(await month.codesOf('Gold')).toEqual([])
    expect((await month.loadToc(entries, { maxFailed: 0.5 })).leftOut).toHaveLength(1)
  })
})

describe('a plan without in-network files', () => {
  it('leaves out a plan without files only if it had files before', async () => {
    await using month = await createMonth('a.json')
    expect(await month.loadToc([entryOf('Gold', 'a.json'), entryOf('Silver')])).toMatchObject({ leftOut: [] })
    await month.loadToc([entryOf('Gold', 'a.json'), entryOf('Silver', 'a.json')])
    const { leftOut, removed } = await month.loadToc([entryOf('Gold', 'a.json'), entryOf('Silver')])
    expect(leftOut).toMatchObject([{ plan: { plan: 'Silver' }, isKept: true }])
    expect(removed).toEqual([])
    expect(await month.codesOf('Silver')).toEqual(['99210'])
  })
})

describe('a partial load', () => {
  it('switches without the missing or refused files, and marks the fee schedule as partial', async () => {
    await using month = await createMonth('a.json', 'b.json')
    await month.write('broken.json', '[')
    const entries = [
      entryOf('Gold', 'a.json', 'gone.json', null),
      entryOf('Silver', 'b.json', 'broken.json'),
      entryOf('Bronze', 'b.json'),
      entryOf('Tin', 'broken.json'),
    ]
    const { leftOut, switched } = await month.loadToc(entries, { partial: true })
    expect(leftOut).toMatchObject([{ plan: { plan: 'Tin' } }])
    const names = switched.filter(({ variantOf }) => variantOf === undefined)
    expect(names.map(({ plan, state }) => [plan, 'partial' in state && state.partial]).sort()).toEqual([
      ['Bronze', false],
      ['Gold', true],
      ['Silver', true],
    ])
    expect(await month.codesOf('Silver')).toEqual(['99211'])
  })
})

describe('files with equal content', () => {
  it('become one source for all their plans, however they are packed', async () => {
    await using month = await createMonth()
    const text = JSON.stringify(ratesOf('99210'))
    await month.write('a.json', text)
    await month.write('b.json', text)
    await month.write('c.json.gz', gzipSync(text))
    const entries = [entryOf('Gold', 'a.json', 'b.json'), entryOf('Silver', 'b.json'), entryOf('Bronze', 'c.json.gz')]
    const { files } = await month.loadToc(entries)
    expect(files).toHaveLength(1)
    for (const plan of ['Gold', 'Silver', 'Bronze']) expect(await month.codesOf(plan)).toEqual(['99210'])
  })

  it('reads equal files separately if their references point to different files', async () => {
    await using month = await createMonth()
    const group = (npi: number) => ({ provider_groups: [{ npi: [npi], tin: { type: 'ein', value: '123456789' } }] })
    const text = JSON.stringify({
      ...ratesOf('99210'),
      provider_references: [{ provider_group_id: 1, location: 'https://rates.example/groups.json' }],
    })
    for (const [index, folder] of ['gold', 'silver'].entries()) {
      await month.write(`${folder}/groups.json`, group(1000000001 + index))
      await month.write(`${folder}/${folder}.json`, text)
    }
    const map = { 'gold.json': 'gold/gold.json', 'silver.json': 'silver/silver.json' }
    const fileMap = await month.write('map.json', map)
    await month.loadToc([entryOf('Gold', 'gold.json'), entryOf('Silver', 'silver.json')], { fileMap })
    const npisOf = async (plan: string) => (await month.readRates({ payer, plan })).map((row) => row['npi'])
    expect([await npisOf('Gold'), await npisOf('Silver')]).toEqual([['1000000001'], ['1000000002']])
  })
})
