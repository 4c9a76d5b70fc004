import fc from 'fast-check'
import { expect, it } from 'vitest'
import { buildFile } from '../../builders/in-network-builder.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'
import { flattenNaively } from '../naive-flattening.ts'
import { file, schema1File } from '../write/any-file.ts'

it.each([
  ['2.x', file, 'Blue Harbor Health'],
  ['1.x', schema1File, 'Blue Harbor Services'],
] as const)(
  'reads the same rows from a file of schema %s with its fields in any order',
  async (_schema, anyFile, payer) => {
    await using warehouse = await createTestWarehouse()
    const shuffled = anyFile.chain((content) => {
      const fields = Object.entries(content)
      return fc.shuffledSubarray(fields, { minLength: fields.length }).map((order) => Object.fromEntries(order))
    })
    await fc.assert(
      fc.asyncProperty(shuffled, async (content) => {
        const text = JSON.stringify(content)
        const rows = flattenNaively(text, { payer, plan: 'Harbor PPO Gold', sourceFile: 'rates.json' })
        fc.pre(rows.length > 0)
        await warehouse.load({ files: [await warehouse.write('rates.json', text)], replace: true, allowOlder: true })
        expect(await warehouse.readRates()).toEqual(rows)
      }),
      { numRuns: 15 },
    )
  },
  300_000,
)

it.each([
  ['before the references', ['plan_name', 'provider_references', 'in_network']],
  ['between references and rates', ['provider_references', 'plan_name', 'in_network']],
  ['after the rates', ['provider_references', 'in_network', 'plan_name']],
])('reads the name of a plan %s', async (_place, last) => {
  await using warehouse = await createTestWarehouse()
  const content = buildFile()
  const first = ['reporting_entity_name', 'reporting_entity_type', 'last_updated_on', 'version']
  const ordered = Object.fromEntries([...first, ...last].map((name) => [name, content[name]]))
  const { switched } = await warehouse.load({ files: [await warehouse.write('a.json', ordered)] })
  expect(switched.map(({ plan }) => plan)).toContain(content['plan_name'])
})
