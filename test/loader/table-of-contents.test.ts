import { describe, expect, it } from 'vitest'
import { buildFile, buildItem } from './in-network-builder.ts'
import { createTestWarehouse } from './test-warehouse.ts'

const planOf = (plan_name: string, plan_id = '01', issuer_name = 'Blue Harbor Health') => ({
  plan_name,
  plan_id,
  plan_id_type: 'hios',
  plan_market_type: 'group',
  issuer_name,
})

const filesOf = (...names: string[]) =>
  names.map((name) => ({
    description: 'rates',
    location: `https://rates.example/2026/${name}?Expires=1&Signature=a/b`,
  }))

const tocOf = (...entries: (readonly [plans: readonly object[], files: readonly object[]])[]) => ({
  reporting_entity_name: 'Blue Harbor Services',
  reporting_structure: entries.map(([reporting_plans, in_network_files]) => ({ reporting_plans, in_network_files })),
  version: '2.0.0',
})

/** Files that name no plan, as those of several plans do. */
async function createMonth(...names: string[]) {
  const warehouse = await createTestWarehouse()
  const { plan_name: _, ...file } = buildFile()
  const files: string[] = []
  for (const [index, name] of names.entries()) {
    const item = buildItem({ billing_code: `9921${index}` })
    files.push(await warehouse.write(name, { ...file, in_network: [item] }))
  }
  return { warehouse, files }
}

describe('a table of contents', () => {
  it('gives each plan the files of all entries that name it, and stores a file once', async () => {
    const { warehouse } = await createMonth('a.json', 'b.json')
    await using _ = warehouse
    const toc = await warehouse.write(
      'toc.json',
      tocOf(
        [[planOf('Gold'), planOf('Silver')], filesOf('a.json')],
        [[planOf('Gold', '02')], filesOf('b.json', 'a.json')],
      ),
    )
    const { switched, files } = await warehouse.load({ files: [], toc })
    expect(files).toHaveLength(2)
    expect(switched).toMatchObject([
      { plan: 'Gold', planIds: ['01', '02'], sources: ['source0', 'source1'], partial: false },
      { plan: 'Silver', planIds: ['01'], sources: ['source0'], partial: false },
    ])
    const rows = await warehouse.readRates()
    expect(rows.map(({ plan, billing_code, source_file }) => [plan, billing_code, source_file]).sort()).toEqual([
      ['Gold', '99210', 'a.json'],
      ['Gold', '99211', 'b.json'],
      ['Silver', '99210', 'a.json'],
    ])
  })

  it('with a missing file is refused, naming plan and file, or loaded as partial', async () => {
    const { warehouse } = await createMonth('a.json')
    await using _ = warehouse
    const entries = [
      [[planOf('Gold'), planOf('Silver')], filesOf('a.json')],
      [[planOf('Gold')], filesOf('gone.json')],
      [[planOf('Bronze')], filesOf('lost.json')],
    ] as const
    const toc = await warehouse.write('toc.json', tocOf(...entries))
    await expect(warehouse.load({ files: [], toc })).rejects.toThrow(/Blue Harbor Health \/ Gold \(https:\S+gone\.json/)
    const { switched, untouched } = await warehouse.load({ files: [], toc, partial: true })
    expect(switched).toMatchObject([
      { plan: 'Gold', partial: true },
      { plan: 'Silver', partial: false },
    ])
    expect(untouched).toEqual([{ payer: 'Blue Harbor Health', plan: 'Bronze' }])
  })

  it('finds files by a map, and loads one plan alone', async () => {
    const { warehouse } = await createMonth('local-a.json')
    await using _ = warehouse
    const toc = await warehouse.write('toc.json', tocOf([[planOf('Gold'), planOf('Silver')], filesOf('a.json')]))
    const fileMap = await warehouse.write('map.json', { 'a.json': 'local-a.json' })
    const { switched } = await warehouse.load({ files: [], toc, fileMap, plan: 'Silver', payer: 'Harbor' })
    expect(switched).toMatchObject([{ payer: 'Harbor', plan: 'Silver' }])
    await expect(warehouse.load({ files: [], toc, fileMap, plan: 'Tin' })).rejects.toThrow('lists no plan "Tin"')
  })

  it('refuses files that it does not list, and files that are none', async () => {
    const { warehouse, files } = await createMonth('a.json', 'b.json')
    await using _ = warehouse
    const toc = await warehouse.write('toc.json', tocOf([[planOf('Gold')], filesOf('a.json')]))
    await expect(warehouse.load({ files, toc })).rejects.toThrow('b.json: is listed for no plan')
    await expect(warehouse.load({ files: [], toc: files[0] })).rejects.toThrow('this is no table of contents')
    const fileMap = await warehouse.write('map.json', ['a.json'])
    await expect(warehouse.load({ files: [], toc, fileMap })).rejects.toThrow('map.json: is not a map of files')
  })
})

describe('a provider reference whose groups are in another file', () => {
  const location = 'https://rates.example/groups/g1.json?Expires=1'
  const group = { npi: [1000000007], tin: { type: 'ein', value: '123456789' } }
  const content = buildFile({ provider_references: [{ provider_group_id: 1, location }] })

  it('has the groups of the file that lies beside', async () => {
    await using warehouse = await createTestWarehouse()
    await warehouse.write('g1.json', { version: '1.0.0', provider_groups: [group] })
    await warehouse.load({ files: [await warehouse.write('a.json', content)] })
    expect(await warehouse.readRates()).toMatchObject([{ npi: '1000000007', provider_group_id: '1' }])
  })

  it('is refused without that file, or left out of a partial load', async () => {
    await using warehouse = await createTestWarehouse()
    const files = [await warehouse.write('a.json', content)]
    await expect(warehouse.load({ files })).rejects.toThrow(
      `provider_references[0].location points to another file, which is not there: ${location}`,
    )
    const report = await warehouse.load({ files, partial: true })
    expect(report.switched).toMatchObject([{ partial: true }])
    expect(report.files[0]?.findings).toEqual([
      {
        rule: 'missing-reference-file',
        count: 1,
        examples: ['in_network[0].negotiated_rates[0].provider_references[0]'],
      },
    ])
  })
})
