import { describe, expect, it } from 'vitest'
import { buildFile, buildGroup, buildItem, buildReference } from '../../builders/in-network-builder.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'

describe('a reference whose id has other characters than its group’s', () => {
  const loadIds = async (definedIds: readonly string[], priceIds: readonly string[]) => {
    // Text between @ is written as a number with these characters.
    const write = (id: string) => (id.startsWith('"') ? id.slice(1, -1) : `@${id}@`)
    const provider_references = definedIds.map((id, index) =>
      buildReference({ provider_group_id: write(id), provider_groups: [buildGroup({ npi: [1000000001 + index] })] }),
    )
    const item = buildItem({ references: priceIds.map(write) })
    const text = JSON.stringify(buildFile({ provider_references, in_network: [item] }))
    await using warehouse = await createTestWarehouse()
    const path = await warehouse.write('rates.json', text.replace(/"@([^@]*)@"/g, '$1'))
    const { files } = await warehouse.load({ files: [path], maxSkipped: 1 })
    const rows = await warehouse.readRates()
    const counts = files[0]?.findings.map(({ rule, count, examples }) => [rule, count, examples[0]])
    return { ids: rows.map((row) => row['provider_group_id']), counts }
  }
  const reference = (index: number) => `in_network[0].negotiated_rates[0].provider_references[${index}]`

  it.each([
    [['1.0'], ['1'], '1.0'],
    [['1'], ['1.0'], '1'],
    [['690.50'], ['690.5'], '690.50'],
    [['690.5'], ['6905e-1'], '690.5'],
    [['12345678901234567890'], ['12345678901234567890.0'], '12345678901234567890'],
    [['"7"'], ['7.0'], '7'],
  ])('matches by its number: %j and %j', async (definedIds, priceIds, id) => {
    const expected = { ids: [id], counts: [['numeric-reference', 1, reference(0)]] }
    expect(await loadIds(definedIds, priceIds)).toEqual(expected)
  })

  it('matches by its characters first', async () => {
    expect(await loadIds(['1', '1.0'], ['1.0'])).toEqual({ ids: ['1.0'], counts: [] })
  })

  it('matches no group if two have the same number', async () => {
    const expected = { ids: ['7'], counts: [['dangling-reference', 1, reference(1)]] }
    expect(await loadIds(['1', '1.0', '7'], ['7', '1e0'])).toEqual(expected)
  })

  it('matches no group if the id is not a number', async () => {
    expect(await loadIds(['1', '7'], ['7', '" 1"'])).toMatchObject({
      ids: ['7'],
      counts: [['dangling-reference', 1, reference(1)]],
    })
  })

  it('counts once if another reference names the same group', async () => {
    const expected = {
      ids: ['1'],
      counts: [
        ['numeric-reference', 2, reference(1)],
        ['repeated-reference', 2, reference(1)],
      ],
    }
    expect(await loadIds(['1'], ['1', '1.0', '1e0'])).toEqual(expected)
  })
})
