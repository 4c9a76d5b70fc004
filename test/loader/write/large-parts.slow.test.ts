import { describe, expect, it } from 'vitest'
import { buildFile, buildGroup, buildItem, buildPrice, buildReference } from '../../builders/in-network-builder.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'
import { flattenNaively } from '../naive-flattening.ts'

/** Larger than what is parsed at once. */
const padding = 'x'.repeat(5 << 20)

describe('a part that is too long to be parsed at once', () => {
  it('reads an item element by element, in any order of its fields', async () => {
    const rates = [
      { provider_references: [1], negotiated_prices: [buildPrice({ additional_information: padding })] },
      { provider_references: [2], negotiated_prices: [buildPrice(), buildPrice({ negotiated_type: 'per diem' })] },
    ]
    const { negotiated_rates: _, ...fields } = buildItem()
    const groups = [buildGroup({ npi: [1000000001] }), buildGroup({ npi: [1000000002], tin: tinOf(padding) })]
    const content = buildFile({
      in_network: [{ negotiated_rates: rates, ...fields }, buildItem({ references: [2] })],
      provider_references: [
        { provider_groups: groups, network_name: ['Far'], provider_group_id: 1 },
        buildReference({ provider_group_id: 2 }),
      ],
      plan_id_type: 'hios',
    })
    await using warehouse = await createTestWarehouse()
    const text = JSON.stringify(content)
    const report = await warehouse.load({ files: [await warehouse.write('rates.json', text)] })
    const names = { payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold', sourceFile: 'rates.json' }
    expect(await warehouse.readRates()).toEqual(flattenNaively(text, names))
    expect(report.files[0]?.findings).toEqual([])
  }, 30_000)

  it('reports the path of each fault', async () => {
    const item = buildItem({ description: padding, prices: [buildPrice(), buildPrice({ negotiated_rate: null })] })
    await using warehouse = await createTestWarehouse()
    const path = await warehouse.write('rates.json', buildFile({ in_network: [item] }))
    const { files } = await warehouse.load({ files: [path], maxSkipped: 0.5 })
    const examples = ['in_network[0].negotiated_rates[0].negotiated_prices[1].negotiated_rate']
    expect(files[0]).toMatchObject({ prices: 1, skipped: 1, findings: [{ rule: 'unfit-rate', count: 1, examples }] })
  })

  it.each([
    ['no code', { billing_code: null }],
    ['no list of rates', { negotiated_rates: { a: padding } }],
  ])('gets skipped with its prices if it has %s', async (_title, fields) => {
    const long = buildItem({ description: padding, ...fields })
    const text = JSON.stringify(buildFile({ in_network: [long, buildItem()], plan_id_type: 'hios' }))
    await using warehouse = await createTestWarehouse()
    const { files } = await warehouse.load({ files: [await warehouse.write('rates.json', text)], maxSkipped: 0.5 })
    const names = { payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold', sourceFile: 'rates.json' }
    expect(await warehouse.readRates()).toEqual(flattenNaively(text, names))
    expect(files[0]).toMatchObject({ prices: 1, findings: [{ rule: 'unfit-item', count: 1 }] })
  })

  it.each(['negotiated_rates', 'billing_code'])('refuses an item that has %s twice', async (field) => {
    const item = buildItem({ description: padding })
    const { [field]: first, ...fields } = item
    const text = JSON.stringify(buildFile({ in_network: [fields] })).replace(
      '"negotiation_arrangement"',
      () => `"${field}":${JSON.stringify(first)},"${field}":${JSON.stringify(first)},"negotiation_arrangement"`,
    )
    await using warehouse = await createTestWarehouse()
    const path = await warehouse.write('rates.json', text)
    await expect(warehouse.load({ files: [path] })).rejects.toThrow(`in_network[0].${field} is in the file twice`)
  })
})

describe('a part that is parsed at once', () => {
  it('takes the last of two values with the same name, like every JSON parser', async () => {
    const text = JSON.stringify(buildFile()).replace('"billing_code":', '"billing_code":"1","billing_code":')
    await using warehouse = await createTestWarehouse()
    await warehouse.load({ files: [await warehouse.write('rates.json', text)] })
    expect(await warehouse.readRates()).toMatchObject([{ billing_code: '99213' }])
  })
})

const tinOf = (business_name: string) => ({ type: 'ein', value: '98-7654321', business_name })
