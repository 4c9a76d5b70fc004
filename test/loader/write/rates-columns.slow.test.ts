import { describe, expect, it } from 'vitest'
import type { Fields } from '../../builders/in-network-builder.ts'
import { buildFile, buildGroup, buildItem, buildPrice, buildReference } from '../../builders/in-network-builder.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'

async function ratesOf(content: Fields | string) {
  await using warehouse = await createTestWarehouse()
  const report = await warehouse.load({ files: [await warehouse.write('rates.json', content)] })
  return { rows: await warehouse.readRates(), findings: report.files[0]?.findings }
}

const priced = (fields: Fields, item: Fields = {}) =>
  buildFile({ in_network: [buildItem({ prices: [buildPrice(fields)], ...item })] })

const grouped = (...references: Fields[]) => buildFile({ provider_references: references })

describe('a rate', () => {
  it.each([
    ['a text', { billing_class: 'b\u0000c' }, { negotiated_type: 'a\u0000b', billing_class: 'c' }],
    ['a list', { service_code: ['11', '22'] }, { service_code: ['11\u000122'] }],
  ])('keeps its own terms if %s contains a control character', async (_where, first, second) => {
    const published = [first, second].map((fields) => buildPrice({ negotiated_type: 'a', ...fields }))
    const { rows } = await ratesOf(buildFile({ in_network: [buildItem({ prices: published })] }))
    expect(rows).toMatchObject(published.map(({ negotiated_rate: _, ...terms }) => terms))
  })

  it.each([
    ['negotiated', 'ffs', 'usd'],
    ['derived', 'bundle', 'usd'],
    ['fee schedule', 'ffs', 'usd'],
    ['per diem', 'ffs', 'usd_per_day'],
    ['percentage', 'ffs', 'percent_of_charges'],
    ['negotiated', 'capitation', 'unspecified'],
    ['barter', 'ffs', 'unspecified'],
  ])(
    'gets, for type %s and arrangement %s, the unit %s',
    async (negotiated_type, negotiation_arrangement, rate_unit) => {
      const { rows } = await ratesOf(priced({ negotiated_type }, { negotiation_arrangement }))
      expect(rows).toMatchObject([{ negotiated_type, negotiation_arrangement, rate_unit }])
    },
  )

  it.each([
    ['rc', '450', 'RC', '0450'],
    ['MS-DRG', '1', 'MS-DRG', '001'],
    ['ICD', '81.54', 'ICD', '8154'],
    ['hcpcs', ' j1100 ', 'HCPCS', 'J1100'],
    ['CSTM-ALL', 'CSTM-00', 'CSTM-ALL', 'CSTM-00'],
  ])(
    'keeps the published code %s %s beside its canonical form %s %s',
    async (type, code, canonicalType, canonicalCode) => {
      const { rows } = await ratesOf(priced({}, { billing_code_type: type, billing_code: code }))
      expect(rows).toMatchObject([
        { billing_code_type: canonicalType, billing_code: canonicalCode, billing_code_published: code },
      ])
    },
  )

  it('stores sorted, distinct and trimmed lists, or NULL if nothing was published', async () => {
    const { rows } = await ratesOf(priced({ service_code: ['22', ' 11', '22'], billing_code_modifier: ['', ' '] }))
    expect(rows).toMatchObject([{ service_code: ['11', '22'], billing_code_modifier: null, bundled_codes: null }])
  })

  it('keeps the date that means no end, and every other calendar day', async () => {
    const prices = ['9999-12-31', '2024-02-29', '0001-01-01'].map((expiration_date) => buildPrice({ expiration_date }))
    const { rows, findings } = await ratesOf(buildFile({ in_network: [buildItem({ prices })] }))
    expect(rows.map((row) => row['expiration_date'])).toEqual(['9999-12-31', '2024-02-29', '0001-01-01'])
    expect(findings).toEqual([])
  })

  it('stores text of any alphabet, line breaks and quotes as published, and replaces lone surrogates', async () => {
    const text = `Zähler "α" 'β'\n\u0000\\ 👩🏽‍⚕️`
    const { rows } = await ratesOf(priced({ additional_information: text }, { name: '\ud800x', description: '' }))
    expect(rows).toMatchObject([{ additional_information: text, name: '\ufffdx', description: null }])
  })
})

describe('a provider group', () => {
  it('identifies a reference by the characters of its id, not by its number', async () => {
    const ids = ['690.64462', '12345678901234567890', '12345678901234567891', '1.0', '1']
    const references = ids.map((_, index) =>
      buildReference({ provider_group_id: `@${index}`, provider_groups: [buildGroup({ npi: [1000000000 + index] })] }),
    )
    const text = JSON.stringify(
      buildFile({
        provider_references: references,
        in_network: [buildItem({ references: ids.map((_, index) => `@${index}`) })],
      }),
    )
    const { rows, findings } = await ratesOf(text.replace(/"@(\d)"/g, (_, index: string) => ids[Number(index)] ?? ''))
    expect(new Map(rows.map((row) => [row['provider_group_id'], row['npi']]))).toEqual(
      new Map(ids.map((id, index) => [id, String(1000000000 + index)])),
    )
    expect(findings).toEqual([])
  })

  it('counts its distinct NPIs over all TINs, without 0', async () => {
    const tin = { type: 'NPI', value: '1000000009' }
    const { rows } = await ratesOf(
      grouped(
        buildReference({
          provider_groups: [
            buildGroup({ npi: [1000000001, 1000000002, 1000000001] }),
            buildGroup({ npi: [1000000002, 0], tin }),
          ],
        }),
      ),
    )
    expect(
      rows.map(({ npi, tin_type, tin_value, provider_group_npi_count }) => [
        npi,
        tin_type,
        tin_value,
        provider_group_npi_count,
      ]),
    ).toEqual([
      ['0', 'npi', '1000000009', 2],
      ['1000000001', 'ein', '012345678', 2],
      ['1000000002', 'ein', '012345678', 2],
      ['1000000002', 'npi', '1000000009', 2],
    ])
  })

  it('counts its distinct TINs by type and value, whatever names and networks they have', async () => {
    const groups = [
      buildGroup({ npi: [1000000001] }),
      buildGroup({ npi: [1000000002], tin: { type: 'ein', value: '01-2345678', business_name: 'Another name' } }),
      buildGroup({ npi: [1000000003], tin: { type: 'npi', value: '012345678' } }),
      buildGroup({ npi: [1000000004], tin: { type: 'ein', value: '98-7654321' } }),
    ]
    const { rows } = await ratesOf(
      grouped(
        buildReference({ provider_groups: groups.slice(0, 2), network_name: ['Near'] }),
        buildReference({ provider_groups: groups.slice(2), network_name: ['Far'] }),
        buildReference({ provider_groups: groups.slice(3), network_name: ['Near'] }),
      ),
    )
    expect(rows.map((row) => row['provider_group_tin_count'])).toEqual([3, 3, 3, 3, 3])
  })

  it('unites the definitions of a reference that is defined twice', async () => {
    const { rows } = await ratesOf(
      grouped(
        buildReference({ provider_groups: [buildGroup({ npi: [1000000001, 1000000002] })] }),
        buildReference({ provider_groups: [buildGroup({ npi: [1000000002, 1000000003] })] }),
      ),
    )
    expect(rows.map(({ npi, provider_group_npi_count }) => [npi, provider_group_npi_count])).toEqual([
      ['1000000001', 3],
      ['1000000002', 3],
      ['1000000003', 3],
    ])
  })

  it('stores the networks of a group as published', async () => {
    const { rows } = await ratesOf(grouped(buildReference({ network_name: ['Zeta', 'Alpha'] })))
    expect(rows).toMatchObject([{ network_name: ['Zeta', 'Alpha'] }])
  })
})

describe('a price', () => {
  it('gives a price one id for all its references, which encodes its position in the file', async () => {
    const references = [1, 2].map((provider_group_id) => buildReference({ provider_group_id }))
    const item = buildItem({ references: [1, 2], prices: [buildPrice(), buildPrice()] })
    const { rows } = await ratesOf(buildFile({ provider_references: references, in_network: [item] }))
    const ids = rows.map((row) => String(row['price_id']))
    expect(ids.map((id) => id.split('-')[1])).toEqual(['1', '1', '2', '2'])
    expect(ids.every((id) => /^[0-9a-f]{16}-\d+$/.test(id))).toBe(true)
  })

  it('stays the same for any order of the root fields', async () => {
    const file = buildFile()
    const turned = Object.fromEntries(Object.entries(file).toReversed())
    const { rows } = await ratesOf(turned)
    const { rows: expected } = await ratesOf(file)
    expect(rows.map((row) => ({ ...row, price_id: '' }))).toEqual(expected.map((row) => ({ ...row, price_id: '' })))
  })
})
