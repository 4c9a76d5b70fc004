import { describe, expect, it } from 'vitest'
import { otherKindOf } from '../../../fetch/file-address.ts'
import { describeReport } from '../../../loader/run/load-report.ts'
import { buildFile, buildItem, buildReference } from '../../builders/in-network-builder.ts'
import { buildPlan, buildTableOfContents } from '../../builders/table-of-contents-builder.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'

const payer = 'Blue Harbor Health'
const addressOf = (name: string) => `https://rates.example/2026/${name}?Expires=1&Signature=a/b`

/** Files without a plan name, like those shared by several plans. */
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
  it('gives each plan the files of all entries that list it, and stores each file once', async () => {
    const { warehouse } = await createMonth('a.json', 'b.json')
    await using _ = warehouse
    const toc = await warehouse.write(
      'toc.json',
      buildTableOfContents(
        { plans: [buildPlan('Gold'), buildPlan('Silver')], files: [addressOf('a.json')] },
        { plans: [buildPlan('Gold')], files: [addressOf('b.json'), addressOf('a.json')] },
      ),
    )
    const { files } = await warehouse.load({ files: [], toc })
    expect(files).toHaveLength(2)
    const rows = await warehouse.readRates()
    expect(rows.map(({ plan, billing_code, source_file }) => [plan, billing_code, source_file]).sort()).toEqual([
      ['Gold', '99210', 'a.json'],
      ['Gold', '99211', 'b.json'],
      ['Silver', '99210', 'a.json'],
    ])
  })

  it('loads plans without listed entries that are no rate files, and reports those by kind', async () => {
    const { warehouse } = await createMonth('a.json')
    await using _ = warehouse
    const others = [
      'https://rates.example/a.csv?Expires=1&Signature=a&Key-Pair-Id=b',
      'https://rates.example/b.CSV.gz',
      'https://rates.example/2026_$folder$',
      'https://rates.example/2026/',
    ]
    const toc = await warehouse.write(
      'toc.json',
      buildTableOfContents(
        { plans: [buildPlan('Gold')], files: [...others, addressOf('a.json')] },
        { plans: [buildPlan('Silver')], files: others },
      ),
    )
    const report = await warehouse.load({ files: [], toc })
    expect(report).toMatchObject({
      leftOut: [],
      listing: [
        { rule: 'csv', count: 2, examples: ['https://rates.example/a.csv', 'https://rates.example/b.CSV.gz'] },
        { rule: 'folder', count: 2, examples: ['https://rates.example/2026_$folder$', 'https://rates.example/2026/'] },
      ],
    })
    expect(describeReport(report)).toContain('Not read: 2 listed csv files, no rate files (https://rates.example/a.csv')
    expect((await warehouse.readRates()).map(({ plan }) => plan)).toEqual(['Gold'])
  })

  it.each(['https://rates.example/mrf/?fileId=1', 'https://rates.example/in-network.csv?format=json'])(
    'reads %s, because a query may choose the file',
    (location) => expect(otherKindOf(location)).toBeUndefined(),
  )

  it('keeps plans of the same name with different ids and files apart', async () => {
    const { warehouse } = await createMonth('a.json', 'b.json')
    await using _ = warehouse
    const ppo = (plan_id: string | null) => [buildPlan('PPO', { plan_id, plan_id_type: 'ein' })]
    const toc = await warehouse.write(
      'toc.json',
      buildTableOfContents(
        { plans: ppo('11-1111111'), files: [addressOf('a.json')] },
        { plans: ppo('222222222'), files: [addressOf('b.json')] },
        { plans: ppo('333333333'), files: [addressOf('b.json')] },
        { plans: ppo(null), files: [addressOf('a.json'), addressOf('b.json')] },
      ),
    )
    await warehouse.load({ files: [], toc })
    const codesOf = async (plan: string) =>
      (await warehouse.readRates({ payer, plan })).map((row) => row['billing_code']).sort()
    expect(await codesOf('PPO (EIN 111111111)')).toEqual(['99210'])
    expect(await codesOf('PPO (EIN 222222222)')).toEqual(['99211'])
    expect(await codesOf('PPO (EIN 333333333)')).toEqual(['99211'])
    expect(await codesOf('PPO (no plan id)')).toEqual(['99210', '99211'])
    expect(await warehouse.catalogue.find([{ payer, plan: 'PPO' }])).toMatchObject([
      { state: { status: 'ambiguous', variants: 4 } },
    ])
  })

  it('finds files by a map, and can load a single plan', async () => {
    const { warehouse } = await createMonth('local-a.json')
    await using _ = warehouse
    const plans = [buildPlan('Gold'), buildPlan('Silver')]
    const toc = await warehouse.write('toc.json', buildTableOfContents({ plans, files: [addressOf('a.json')] }))
    const fileMap = await warehouse.write('map.json', { 'a.json': 'local-a.json' })
    await warehouse.load({ files: [], toc, fileMap, plan: 'Silver', payer: 'Harbor' })
    const names = [...warehouse.catalogue.entries.values()].filter(({ variantOf }) => variantOf === undefined)
    expect(names).toMatchObject([{ payer: 'Harbor', plan: 'Silver' }])
    await expect(warehouse.load({ files: [], toc, fileMap, plan: 'Tin' })).rejects.toThrow('lists no plan "Tin"')
  })

  it('refuses files that it does not list, and is refused if it is another kind of file', async () => {
    const { warehouse, files } = await createMonth('a.json', 'b.json')
    await using _ = warehouse
    const listed = { plans: [buildPlan('Gold')], files: [addressOf('a.json')] }
    const toc = await warehouse.write('toc.json', buildTableOfContents(listed))
    await expect(warehouse.load({ files, toc })).rejects.toThrow('b.json: is not listed for any plan')
    await expect(warehouse.load({ files: [], toc: files[0] })).rejects.toThrow('this is not a table of contents')
    const fileMap = await warehouse.write('map.json', ['a.json'])
    await expect(warehouse.load({ files: [], toc, fileMap })).rejects.toThrow('map.json: is not a map of files')
  })
})

describe('a provider reference whose groups are in another file', () => {
  const location = 'https://rates.example/groups/g1.json?Expires=1'
  const group = { npi: [1000000007], tin: { type: 'ein', value: '123456789' } }
  const references = [{ provider_group_id: 1, location }]
  const content = buildFile({ provider_references: references })

  it.each([
    ['no list of groups', {}],
    ['an empty list of groups', { provider_groups: [] }],
    ['an empty list of groups in four megabytes', { x: ' '.repeat(1 << 22), provider_groups: [] }],
  ])('uses those of the local file beside it, with %s', async (_title, more) => {
    await using warehouse = await createTestWarehouse()
    await warehouse.write('g1.json', { version: '1.0.0', provider_groups: [group] })
    const own = buildFile({ provider_references: [{ ...references[0], ...more }] })
    await warehouse.load({ files: [await warehouse.write('a.json', own)] })
    expect(await warehouse.readRates()).toMatchObject([{ npi: '1000000007', provider_group_id: '1' }])
  })

  it('refuses the load if that file is missing, and is skipped in a partial load', async () => {
    await using warehouse = await createTestWarehouse()
    const files = [await warehouse.write('a.json', content)]
    await expect(warehouse.load({ files })).rejects.toThrow(
      `provider_references[0].location points to another file, which is not there: https://rates.example/groups/g1.json?…`,
    )
    await expect(warehouse.load({ files, partial: true })).rejects.toThrow(
      'its files have no rates without the files that their provider references point to, which are missing ' +
        '(https://rates.example/groups/g1.json?…): put them beside it, map them with --files, or fetch them with --fetch',
    )
    const both = [...references, { provider_group_id: 2, provider_groups: [group] }]
    const items = [buildItem(), buildItem({ references: [2] })]
    await warehouse.write('a.json', buildFile({ provider_references: both, in_network: items }))
    const report = await warehouse.load({ files, partial: true })
    expect(report.switched).toMatchObject([{ state: { partial: true } }, { state: { partial: true } }])
    expect(report.files[0]?.findings).toEqual([
      { rule: 'missing-file', count: 1, examples: ['https://rates.example/groups/g1.json?…'] },
      {
        rule: 'missing-reference-file',
        count: 1,
        examples: ['in_network[0].negotiated_rates[0].provider_references[0]'],
      },
    ])
  })
})

it('files by network, which name no plan, load for the plans that point to them, and tell their networks', async () => {
  await using warehouse = await createTestWarehouse()
  const { plan_name, plan_id, plan_id_type, plan_market_type, ...unplanned } = buildFile()
  expect([plan_name, plan_id]).not.toContain(undefined)
  for (const [name, code] of [
    ['Harbor Choice', '99211'],
    ['Pier Select', '99212'],
  ] as const) {
    const enrollment = { product_type: 'PPO', network_name: [name], enrollment_count: 1200, version: '3.0.0' }
    const references = [buildReference({ network_name: [name] })]
    const items = [buildItem({ billing_code: code })]
    const content = { ...unplanned, ...enrollment, provider_references: references, in_network: items }
    await warehouse.write(`${name.replace(' ', '-')}.json`, content)
  }
  const filesOf = (...networks: string[]) =>
    networks.map((name) => `https://rates.example/${name.replace(' ', '-')}.json`)
  const contents = buildTableOfContents(
    { plans: [buildPlan('Gold'), buildPlan('Silver')], files: filesOf('Harbor Choice', 'Pier Select') },
    { plans: [buildPlan('Bronze')], files: filesOf('Pier Select') },
  )
  const toc = await warehouse.write('toc.json', { ...contents, version: '3.0.0' })
  const report = await warehouse.load({ files: [], toc, assumeVersion: 2 })
  const found = { rule: 'unknown-field', count: 1, examples: ['enrollment_count'] }
  expect(report).toMatchObject({
    files: [{ findings: [{ rule: 'assumed-version' }, found] }, { findings: [{ rule: 'assumed-version' }, found] }],
    leftOut: [],
  })
  const rows = await warehouse.readRates()
  expect(rows.map(({ plan, billing_code }) => `${plan} ${billing_code}`).sort()).toEqual([
    'Bronze 99212',
    'Gold 99211',
    'Gold 99212',
    'Silver 99211',
    'Silver 99212',
  ])
  const networksOf = warehouse
    .listNames()
    .map(({ plan, state }) => [plan, 'facts' in state ? state.facts?.networks : []])
  expect(Object.fromEntries(networksOf)).toMatchObject({
    Gold: ['Harbor Choice', 'Pier Select'],
    Bronze: ['Pier Select'],
  })
  expect(warehouse.listNames()).toMatchObject(Array(3).fill({ state: { facts: { productTypes: ['PPO'] } } }))
})

describe('a relative location in a local table of contents', () => {
  const toc = (location: string) => buildTableOfContents({ plans: [buildPlan('Gold')], files: [location] })

  it.each([
    'month/rates.json',
    './month/rates.json',
    'month/rates.json?v=1',
    'month/%72ates.json',
    'x/../month/rates.json',
  ])('names the file %j below its folder', async (location) => {
    await using warehouse = await createTestWarehouse()
    await warehouse.write('month/rates.json', buildFile())
    await warehouse.load({ files: [], toc: await warehouse.write('toc.json', toc(location)) })
    expect(warehouse.listNames()).toHaveLength(1)
  })

  it.each(['../rates.json', '/etc/rates.json', 'x/../../rates.json', '//payer.example/rates.json'])(
    'names no file outside its folder: %j, and no advice to fetch it',
    async (location) => {
      await using warehouse = await createTestWarehouse()
      await warehouse.write('rates.json', buildFile())
      const path = await warehouse.write('month/toc.json', toc(location))
      const refusal = await warehouse
        .load({ files: [], toc: path, fetch: true })
        .catch((error: unknown) => String(error))
      expect(refusal).toContain('put it beside the table of contents, map it with --files, or use --partial')
    },
  )
})
