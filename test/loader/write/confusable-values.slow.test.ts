import { describe, expect, it } from 'vitest'
import { buildFile, buildGroup, buildItem, buildPrice, buildReference } from '../../builders/in-network-builder.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'
import { confusableWords } from '../decode/odd-values.ts'
import { flattenNaively } from '../naive-flattening.ts'

/** Values that a key built of texts could confuse, among them none. */
const values = [undefined, null, ...confusableWords]

const groups = values.map((business_name, index) =>
  buildGroup({ npi: [1_000_000_000 + index, 1_999_999_999], tin: { type: 'ein', value: '012345678', business_name } }),
)

/** A file of schema 2.x with each value in each field that may have a text. */
const referring = buildFile({
  plan_id_type: 'hios',
  provider_references: [
    buildReference({ provider_group_id: 1, provider_groups: groups }),
    ...values.map((name, index) => buildReference({ provider_group_id: index + 2, network_name: [name, 'Alpha'] })),
    ...confusableWords.map((id) => buildReference({ provider_group_id: id })),
  ],
  in_network: [
    buildItem({
      references: [1, 2, ...values.keys(), ...confusableWords],
      prices: values.flatMap((text, index) => [
        buildPrice({ negotiated_rate: index + 1, additional_information: text }),
        buildPrice({ negotiated_rate: index + 1, service_code: [text, '11'], billing_code_modifier: values }),
        buildPrice({ negotiated_rate: index + 1, setting: text, billing_class: text }),
      ]),
    }),
    ...values.map((text) => buildItem({ name: text, description: text, severity_of_illness: text })),
  ],
})

/** A file of schema 1.x, which has provider groups inside its rates. */
const inline = buildFile({
  plan_id_type: 'hios',
  provider_references: undefined,
  in_network: [
    { ...buildItem(), negotiated_rates: [{ provider_groups: groups, negotiated_prices: [buildPrice()] }] },
    ...groups.map((group) => ({
      ...buildItem(),
      negotiated_rates: [{ provider_groups: [group], negotiated_prices: [buildPrice()] }],
    })),
  ],
})

describe('texts that a key could confuse', () => {
  it.each([
    ['in each field of a file', referring],
    ['in the inline groups of a file', inline],
  ])('stay apart %s', async (_where, content) => {
    await using warehouse = await createTestWarehouse()
    const text = JSON.stringify(content)
    const path = await warehouse.write('rates.json', text)
    await warehouse.load({ files: [path], maxSkipped: 1 })
    const names = { payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold', sourceFile: 'rates.json' }
    expect(await warehouse.readRates()).toEqual(flattenNaively(text, names))
  })
})
