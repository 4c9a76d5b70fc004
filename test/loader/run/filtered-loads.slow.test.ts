import { describe, expect, it } from 'vitest'
import type { LoadFilter } from '../../../core/catalogue/load-filter.ts'
import { readLoadFilter } from '../../../loader/run/read-load-filter.ts'
import type { Fields } from '../../builders/in-network-builder.ts'
import { buildFile, buildGroup, buildItem, buildPrice, buildReference } from '../../builders/in-network-builder.ts'
import { createTestWarehouse, type TestWarehouse } from '../../builders/test-warehouse.ts'
import { flattenNaively } from '../naive-flattening.ts'

const names = { payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold', sourceFile: 'rates.json' }
const npi = (last: number) => 1_000_000_000 + last
const referenceOf = (id: number, npis: readonly number[], network = 'Near') =>
  buildReference({ provider_group_id: id, network_name: [network], provider_groups: [buildGroup({ npi: npis })] })

async function loadFiltered(content: Fields, filter: Omit<LoadFilter, 'id'>, maxSkipped = 0) {
  await using warehouse = await createTestWarehouse()
  const text = JSON.stringify(content)
  const path = await warehouse.write('rates.json', text)
  const { files } = await warehouse.load({ files: [path], maxSkipped, filter: { id: 'f', ...filter } })
  return { rows: await warehouse.readRates(), all: flattenNaively(text, names), report: files[0] }
}

const references = [referenceOf(1, [npi(1), npi(2)]), referenceOf(2, [npi(3), 0], 'Far')]
const { billing_code_type, billing_code_type_version, billing_code, description } = buildItem()
const bundledCode = { billing_code_type, billing_code_type_version, billing_code, description }
const items = [
  buildItem({ billing_code: '99213', references: [1, 2] }),
  buildItem({ billing_code_type: 'RC', billing_code: '450', references: [2] }),
  buildItem({ billing_code: '99214', references: [1], bundled_codes: [bundledCode] }),
]
const { provider_references: _references, in_network: _items, ...root } = buildFile({ plan_id_type: 'hios' })
const orders = [
  ['before', { provider_references: references, ...root, in_network: items }],
  ['after', { in_network: items, ...root, provider_references: references }],
] as const

describe('a load without descriptions', () => {
  const files = async (warehouse: TestWarehouse) => [
    await warehouse.write('rates.json', { ...root, in_network: items, provider_references: references }),
  ]

  it('writes the same rows without names and descriptions, and marks the content', async () => {
    await using warehouse = await createTestWarehouse()
    await warehouse.load({ files: await files(warehouse), withoutDescriptions: true })
    const expected = flattenNaively(
      JSON.stringify({ ...root, in_network: items, provider_references: references }),
      names,
    )
    expect(expected.every((row) => row['name'] !== null && row['description'] !== null)).toBe(true)
    expect(await warehouse.readRates()).toEqual(expected.map((row) => ({ ...row, name: null, description: null })))
    expect([...warehouse.contents.contents.values()]).toMatchObject([{ withoutDescriptions: true }])
  })

  it('takes over no rows with descriptions, nor does one with them take over rows without', async () => {
    await using warehouse = await createTestWarehouse()
    for (const withoutDescriptions of [undefined, true, false]) {
      const request = {
        files: await files(warehouse),
        ...(withoutDescriptions !== undefined && { withoutDescriptions }),
      }
      expect(await warehouse.load(request)).toMatchObject({ takenOver: 0 })
      expect(await warehouse.load(request)).toMatchObject({ takenOver: 1 })
    }
  })
})

describe.each(orders)('a filtered load of a file with its provider references %s its items', (_order, content) => {
  it.each([
    ['a code', { codes: ['99213'] }, [1, 1, 1, 1]],
    ['a code in the form of another type', { codes: ['450'] }, [2, 2]],
    ['an NPI', { npis: [npi(2)] }, [1, 3]],
    ['the NPI 0', { npis: [0] }, [1, 2]],
    ['a network', { networks: ['Far'] }, [1, 1, 2, 2]],
    ['all three', { codes: ['99213', '99214'], npis: [npi(2), npi(3)], networks: ['Near'] }, [1, 3]],
  ])('keeps exactly the rows for %s, unchanged from an unfiltered load', async (_title, filter, ordinals) => {
    const { rows, all, report } = await loadFiltered(content, filter)
    expect(rows.map((row) => Number(String(row['price_id']).split('-')[1]))).toEqual(ordinals)
    const wanted = new Set(rows.map((row) => JSON.stringify(row)))
    expect(all.filter((row) => wanted.has(JSON.stringify(row)))).toEqual(rows)
    expect(report).toMatchObject({ skipped: 0, findings: [], prices: new Set(ordinals).size })
  })

  it('counts the NPIs of a group before filtering', async () => {
    const { rows } = await loadFiltered(content, { npis: [npi(1)] })
    expect(rows.map((row) => row['provider_group_npi_count'])).toEqual([2, 2])
  })
})

describe('a filtered load', () => {
  it('counts the TINs of a group before filtering, of references and of inline groups', async () => {
    const provider_groups = [
      buildGroup({ npi: [npi(1)] }),
      buildGroup({ npi: [npi(2)], tin: { type: 'ein', value: '98-7654321' } }),
    ]
    const inline = { provider_groups, negotiated_prices: [buildPrice()] }
    const named = { provider_references: [1], negotiated_prices: [buildPrice()] }
    const content = buildFile({
      provider_references: [buildReference({ provider_groups })],
      in_network: [buildItem({ negotiated_rates: [named, inline] })],
    })
    const { rows } = await loadFiltered(content, { npis: [npi(1)] })
    expect(rows.map((row) => row['provider_group_tin_count'])).toEqual([2, 2])
  })

  it('counts the NPIs of a group that is defined twice, and keeps those in its networks', async () => {
    const twice = [referenceOf(1, [npi(1), npi(2)]), referenceOf(1, [npi(2), npi(3)], 'Far')]
    const { rows } = await loadFiltered(buildFile({ provider_references: twice }), {
      networks: ['Far'],
      npis: [npi(2)],
    })
    expect(rows).toMatchObject([{ npi: String(npi(2)), network_name: ['Far'], provider_group_npi_count: 3 }])
    expect(rows).toHaveLength(1)
  })

  it('keeps inline groups by NPI but never by network', async () => {
    const rates = [1, 2].map((last) => ({
      provider_groups: [buildGroup({ npi: [npi(last)] })],
      negotiated_prices: [buildPrice()],
    }))
    const content = buildFile({ provider_references: [], in_network: [buildItem({ negotiated_rates: rates })] })
    const { rows } = await loadFiltered(content, { npis: [npi(2)] })
    expect(rows).toMatchObject([{ npi: String(npi(2)), price_id: expect.stringMatching(/-2$/) }])
    await expect(loadFiltered(content, { networks: ['Near'] })).rejects.toThrow('its files have no rates')
  })

  it('applies --max-skipped to wanted prices only', async () => {
    const lost = buildItem({ billing_code: '99214', prices: [buildPrice(), buildPrice({ negotiated_rate: 'x' })] })
    const content = buildFile({ in_network: [...Array(20).fill(buildItem()), lost] })
    await expect(loadFiltered(content, { codes: ['99214'] }, 0.1)).rejects.toThrow('1 of 2 prices would be skipped')
    expect((await loadFiltered(content, { codes: ['99213'] })).report).toMatchObject({ skipped: 0, findings: [] })
  })

  it.each(['before', 'after'])(
    'leaves out an item that is too long to be parsed at once, with its code %s its rates',
    async (order) => {
      const { billing_code, negotiated_rates, ...fields } = buildItem({ description: 'x'.repeat(5 << 20) })
      const rates = [negotiated_rates, negotiated_rates].flat()
      const long =
        order === 'before'
          ? { ...fields, billing_code, negotiated_rates: rates }
          : { ...fields, negotiated_rates: rates, billing_code }
      const content = buildFile({ in_network: [long, buildItem({ billing_code: '99214' })] })
      const { rows, report } = await loadFiltered(content, { codes: ['99214'] })
      expect(rows).toMatchObject([{ billing_code: '99214', price_id: expect.stringMatching(/-3$/) }])
      expect(report).toMatchObject({ prices: 1, skipped: 0, findings: [] })
    },
  )
})

describe('the lists of a filtered load', () => {
  async function readLists(texts: Readonly<Record<string, string>>) {
    await using warehouse = await createTestWarehouse()
    const written = Object.entries(texts).map(async ([list, text]) => [
      list,
      await warehouse.write(`${list}.txt`, text),
    ])
    return await readLoadFilter(Object.fromEntries(await Promise.all(written)))
  }

  it('reads one value per line, in canonical form, sorted and distinct', async () => {
    const lists = {
      codes: '\ufeff# visits\r\n99214\r\n\r\n j1885 \r\n99214\r\n',
      npis: `${npi(2)}\n0\n${npi(1)}`,
      networks: 'Harbor  Choice\n',
    }
    expect(await readLists(lists)).toEqual({
      id: expect.stringMatching(/^[\da-f]{64}$/),
      codes: ['99214', 'J1885'],
      npis: [0, npi(1), npi(2)],
      networks: ['Harbor Choice'],
    })
  })

  it('derives the same filter id in any order, and a different one from another value', async () => {
    const one = await readLists({ codes: '1\n2' })
    expect((await readLists({ codes: '2\n1\n1' }))?.id).toBe(one?.id)
    expect((await readLists({ codes: '1\n2\n3' }))?.id).not.toBe(one?.id)
    expect((await readLists({ networks: '1\n2' }))?.id).not.toBe(one?.id)
    expect(await readLists({})).toBeUndefined()
  })

  it.each([
    ['codes', '99213\nCPT 99213\n1,2', 'each line must be a billing code: line 2 is "CPT 99213", line 3 is "1,2"'],
    ['npis', '1\n2\n3\n4', 'line 1 is "1", line 2 is "2", line 3 is "3" and 1 more'],
    ['npis', '# none\n', 'has no value'],
  ])('name their faulty lines: %s', async (list, text, fault) => {
    await expect(readLists({ [list]: text })).rejects.toThrow(fault)
  })

  it('refuses a list that cannot be read', async () => {
    await expect(readLoadFilter({ npis: '/no/such/file' })).rejects.toThrow('/no/such/file: cannot be read')
  })
})
