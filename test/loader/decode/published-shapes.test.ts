import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import {
  buildFile,
  buildGroup,
  buildItem,
  buildPrice,
  buildReference,
  type Fields,
} from '../../builders/in-network-builder.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'
import { zip } from '../../fetch/zip-builder.ts'
import { flattenNaively } from '../naive-flattening.ts'

const names = { payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold', sourceFile: 'rates.json' }
const { provider_references: references, in_network: items, ...root } = buildFile({ plan_id_type: 'hios' })
const nameless = (...npi: number[]) => buildGroup({ npi, tin: { type: 'ein', value: '01-2345678' } })

const withReferences = (...provider_references: Fields[]) => ({
  ...root,
  provider_references,
  in_network: [buildItem({ references: [1, 2] })],
})

const shapes: readonly (readonly [title: string, file: object, findings: Readonly<Record<string, number>>])[] = [
  [
    'references under another name',
    { ...root, provider_group_reference: references, in_network: items },
    { 'other-name': 1 },
  ],
  [
    'references under another name after the rates',
    { ...root, in_network: items, provider_group_reference: references },
    { 'other-name': 1 },
  ],
  [
    'a business name beside the groups of a reference',
    withReferences(
      buildReference({ business_name: 'Beside', provider_groups: [nameless(1000000001), buildGroup()] }),
      buildReference({ provider_group_id: 2, provider_groups: [nameless(1000000002)] }),
    ),
    { 'name-beside': 1 },
  ],
  [
    'a business name beside the groups of a reference that all name theirs',
    withReferences(
      buildReference({ business_name: 'Beside' }),
      buildReference({ provider_group_id: 2, provider_groups: [nameless(1000000002)] }),
    ),
    {},
  ],
  [
    'an empty list of NPIs among other groups',
    withReferences(
      buildReference({ provider_groups: [nameless(), buildGroup()] }),
      buildReference({ provider_group_id: 2, provider_groups: [buildGroup({ npi: [] })] }),
    ),
    { 'whole-tin': 2 },
  ],
]

describe.each([
  ['as published', (text: string) => text],
  ['as gzip', (text: string) => gzipSync(text)],
  ['as zip', (text: string) => zip([Buffer.from(text)])],
])('a load of a file %s', (_packing, pack) => {
  it.each(shapes)('reads the rows of an independent flattening with %s', async (_title, file, expected) => {
    await using warehouse = await createTestWarehouse()
    const text = JSON.stringify(file)
    const report = await warehouse.load({ files: [await warehouse.write('rates.json', pack(text))] })
    const rows = await warehouse.readRates()
    expect(rows).not.toEqual([])
    expect(rows).toEqual(flattenNaively(text, names))
    const findings = report.files[0]?.findings ?? []
    expect(Object.fromEntries(findings.map(({ rule, count }) => [rule, count]))).toEqual(expected)
  })
})

it('refuses a file with references under both names', async () => {
  await using warehouse = await createTestWarehouse()
  const files = [await warehouse.write('rates.json', { ...buildFile(), provider_group_reference: references })]
  await expect(warehouse.load({ files })).rejects.toThrow('provider_references is in the file twice')
})

it('leaves out and counts a field of the root that is too long, unless it names payer or plan', async () => {
  await using warehouse = await createTestWarehouse()
  const long = 'x'.repeat(10_001)
  const optional = { network_name: [long], plan_sponsor_name: long, product_type: long, version: long }
  const files = [await warehouse.write('rates.json', buildFile(optional))]
  const report = await warehouse.load({ files })
  expect(report.files[0]).toMatchObject({ rates: 1, findings: [{ rule: 'unreadable-value', count: 4 }] })
  for (const name of ['reporting_entity_name', 'plan_name'])
    await expect(
      warehouse.load({ files: [await warehouse.write('other.json', buildFile({ [name]: long }))] }),
    ).rejects.toThrow(`${name} is longer than 10000 bytes`)
})

it('reads a business name before the groups of a long reference as the name of all, and counts it once', async () => {
  await using warehouse = await createTestWarehouse()
  const groups = Array.from({ length: 70_000 }, () => nameless(1000000001))
  const long = { business_name: 'Beside', ...buildReference({ provider_groups: groups }) }
  expect(JSON.stringify(long).length).toBeGreaterThan(1 << 22)
  const file = withReferences(long, buildReference({ provider_group_id: 2, provider_groups: [nameless(1000000002)] }))
  const report = await warehouse.load({ files: [await warehouse.write('rates.json', file)] })
  expect(report.files[0]?.findings).toMatchObject([{ rule: 'name-beside', count: 1 }])
  expect((await warehouse.readRates()).map(({ tin_business_name }) => tin_business_name)).toEqual(['Beside', null])
})

it.each([
  ['rate', { prices: [buildPrice({ negotiated_rate: '@' })] }],
  ['id', { references: [1, '@'] }],
])(
  'reads a %s with many zeros before its last digit in a moment',
  async (_what, item) => {
    await using warehouse = await createTestWarehouse()
    const text = JSON.stringify(buildFile({ in_network: [buildItem(item)] }))
    const number = `0.1${'0'.repeat(150_000)}1`
    const files = [await warehouse.write('rates.json', text.replace('"@"', number))]
    expect((await warehouse.load({ files, maxSkipped: 1 })).files).toMatchObject([{ rates: 1 }])
  },
  20_000,
)
