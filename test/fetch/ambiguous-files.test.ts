import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { buildFile, buildItem } from '../builders/in-network-builder.ts'
import { buildPlan, buildTableOfContents } from '../builders/table-of-contents-builder.ts'
import { createTestWarehouse } from '../builders/test-warehouse.ts'

const addressOf = (plan: string) => `https://rates.example/${plan.toLowerCase()}/in-network.json`
const { plan_name: _, ...file } = buildFile()
const buildRates = (code: string) => ({ ...file, in_network: [buildItem({ billing_code: code })] })

const toc = buildTableOfContents(
  { plans: [buildPlan('Gold')], files: [`${addressOf('Gold')}?Expires=1&Signature=a&Key-Pair-Id=K`] },
  { plans: [buildPlan('Silver')], files: [`${addressOf('Silver')}?Expires=2&Signature=b&Key-Pair-Id=K`] },
)

describe('two addresses with one last segment', () => {
  it('refuses two addresses that one local file would serve', async () => {
    await using warehouse = await createTestWarehouse()
    await warehouse.write('in-network.json', buildRates('99213'))
    const path = await warehouse.write('toc.json', toc)
    const error = await warehouse.load({ files: [], toc: path }).catch(String)
    expect(error).toContain(`would serve ${addressOf('Gold')}, ${addressOf('Silver')}: map each`)
    expect(error).not.toContain('Signature')
    expect(await warehouse.listFiles()).toEqual([])
  })

  it('refuses two addresses if the map gives their file by last segment or for only one of them', async () => {
    await using warehouse = await createTestWarehouse()
    await warehouse.write('in-network.json', buildRates('99213'))
    const path = await warehouse.write('toc.json', toc)
    for (const key of ['in-network.json', addressOf('Gold')]) {
      const fileMap = await warehouse.write('map.json', { [key]: 'in-network.json' })
      await expect(warehouse.load({ files: [], toc: path, fileMap })).rejects.toThrow('map each of these addresses')
    }
  })

  it('refuses an address that several named files match', async () => {
    await using warehouse = await createTestWarehouse()
    const path = await warehouse.write('toc.json', toc)
    const files: string[] = []
    for (const folder of ['gold', 'silver']) {
      await mkdir(join(dirname(path), folder))
      files.push(await warehouse.write(`${folder}/in-network.json`, buildRates(folder)))
    }
    await expect(warehouse.load({ files, toc: path })).rejects.toThrow(`could be ${files.join(', ')}: map it`)
  })

  it('loads one local file for both plans if the map lists it for each address', async () => {
    await using warehouse = await createTestWarehouse()
    await warehouse.write('in-network.json', buildRates('99213'))
    const path = await warehouse.write('toc.json', toc)
    const map = { [addressOf('Gold')]: 'in-network.json', [addressOf('Silver')]: 'in-network.json' }
    const { files } = await warehouse.load({ files: [], toc: path, fileMap: await warehouse.write('map.json', map) })
    expect(files).toHaveLength(1)
    const rows = await warehouse.readRates()
    expect(rows.map(({ plan, billing_code }) => [plan, billing_code])).toEqual([
      ['Gold', '99213'],
      ['Silver', '99213'],
    ])
  })

  it('loads the file that the map lists for each plan', async () => {
    await using warehouse = await createTestWarehouse()
    await warehouse.write('g.json', buildRates('99213'))
    await warehouse.write('s.json', buildRates('99214'))
    const path = await warehouse.write('toc.json', toc)
    const map = { [`${addressOf('Gold')}?Signature=c`]: 'g.json', [addressOf('Silver')]: 's.json' }
    await warehouse.load({ files: [], toc: path, fileMap: await warehouse.write('map.json', map) })
    const rows = await warehouse.readRates()
    expect(rows.map(({ plan, billing_code }) => [plan, billing_code])).toEqual([
      ['Gold', '99213'],
      ['Silver', '99214'],
    ])
  })
})

describe('two provider references with one last segment', () => {
  const group = (npi: number) => ({ provider_groups: [{ npi: [npi], tin: { type: 'ein', value: '123456789' } }] })
  const reference = (id: number) => ({
    provider_group_id: id,
    location: `https://rates.example/${id}/groups.json?Signature=a`,
  })
  const item = buildItem({ references: [1, 2] })

  it('refuses two references of one file that the same local file would serve', async () => {
    await using warehouse = await createTestWarehouse()
    await warehouse.write('groups.json', group(1000000001))
    const content = buildFile({ provider_references: [reference(1), reference(2)], in_network: [item] })
    const path = await warehouse.write('a.json', content)
    await expect(warehouse.load({ files: [path] })).rejects.toThrow(
      'a.json: provider_references[1].location is ambiguous',
    )
  })

  it('refuses two references of two files, even though the first file was read before the second', async () => {
    await using warehouse = await createTestWarehouse()
    await warehouse.write('groups.json', group(1000000001))
    const files: string[] = []
    for (const id of [1, 2]) {
      const rate = buildItem({ references: [id] })
      const content = buildFile({ plan_name: `Plan ${id}`, provider_references: [reference(id)], in_network: [rate] })
      files.push(await warehouse.write(`${id}.json`, content))
    }
    await expect(warehouse.load({ files })).rejects.toThrow('1.json: points to an ambiguous file')
    expect(warehouse.catalogue.entries.size).toBe(0)
  })

  it('loads the groups of each reference if the map gives a file for each', async () => {
    await using warehouse = await createTestWarehouse()
    await warehouse.write('one.json', group(1000000001))
    await warehouse.write('two.json', group(1000000002))
    const content = buildFile({ provider_references: [reference(1), reference(2)], in_network: [item] })
    const map = { 'https://rates.example/1/groups.json': 'one.json', 'https://rates.example/2/groups.json': 'two.json' }
    const fileMap = await warehouse.write('map.json', map)
    await warehouse.load({ files: [await warehouse.write('a.json', content)], fileMap })
    const rows = await warehouse.readRates()
    expect(rows.map((row) => [row['provider_group_id'], row['npi']])).toEqual([
      ['1', '1000000001'],
      ['2', '1000000002'],
    ])
  })
})
