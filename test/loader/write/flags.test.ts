import fc from 'fast-check'
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
import type { JsonRow } from '../json-row.ts'
import { flattenNaively } from '../naive-flattening.ts'

const names = { payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold', sourceFile: 'rates.json' }

/** Loads a file, whose rows must be those of the naive flattening. */
async function loadRows(content: Fields): Promise<JsonRow[]> {
  await using warehouse = await createTestWarehouse()
  await warehouse.load({ files: [await warehouse.write('rates.json', content)] })
  const rows = await warehouse.readRates()
  expect(rows).toEqual(flattenNaively(JSON.stringify(content), names))
  return rows
}

/** A file with prices of one code, by their amounts or fields. */
const fileOf = (prices: readonly (number | Fields)[], item: Fields = {}) =>
  buildFile({
    plan_id_type: 'hios',
    in_network: [
      buildItem({
        ...item,
        prices: prices.map((price) => buildPrice(typeof price === 'number' ? { negotiated_rate: price } : price)),
      }),
    ],
  })

/** The flags of each amount. */
const flagsOf = (rows: readonly JsonRow[]) =>
  Object.fromEntries(rows.map((row) => [String(row['negotiated_rate']), row['flags']]))

const alike = (count: number, amount: number) => Array.from({ length: count }, () => amount)

describe('an outlier', () => {
  it('flags more than ten times the median of eleven prices or more, or less than a tenth', async () => {
    const rows = await loadRows(fileOf([...alike(11, 100), 10, 9.9999, 1000, 1000.0001, 1e12]))
    expect(flagsOf(rows)).toEqual({
      '100.0000': null,
      '10.0000': null,
      '9.9999': ['outlier_low'],
      '1000.0000': null,
      '1000.0001': ['outlier_high'],
      '1000000000000.0000': ['outlier_high'],
    })
  })

  it('flags none of ten prices', async () => {
    expect(flagsOf(await loadRows(fileOf([...alike(9, 100), 5000])))).toEqual({ '100.0000': null, '5000.0000': null })
  })

  it('compares with the lower of two medians, and counts each published price once', async () => {
    const rows = await loadRows(fileOf([...alike(6, 10), ...alike(6, 100)]))
    expect(flagsOf(rows)).toEqual({ '10.0000': null, '100.0000': null })
    expect(flagsOf(await loadRows(fileOf([...alike(6, 10), ...alike(5, 20), 100.5])))).toMatchObject({
      '100.5000': ['outlier_high'],
    })
  })

  it.each([
    ['unit', { negotiated_type: 'per diem' }],
    ['class', { billing_class: 'institutional' }],
    ['setting', { setting: 'inpatient' }],
  ])('ignores prices of another %s', async (_name, other) => {
    const far = Array.from({ length: 11 }, () => ({ negotiated_rate: 5000, ...other }))
    const rows = await loadRows(fileOf([...alike(12, 100), ...far]))
    expect(flagsOf(rows)).toEqual({ '100.0000': null, '5000.0000': null })
  })

  it('ignores placeholders in the median', async () => {
    const rows = await loadRows(fileOf([...alike(30, 0.01), ...alike(11, 100)]))
    expect(flagsOf(rows)).toEqual({ '0.0100': ['placeholder'], '100.0000': null })
  })
})

it('flags a placeholder if nobody would pay the amount', async () => {
  const placeholders = [0, -5, 0.01, 1, 9999, 9999.99, 99999, 999999999.9999]
  const others = [0.02, 1.01, 999, 999.99, 9998.99, 99989, 9999.98, 9999999999]
  const rows = await loadRows(fileOf([...placeholders, ...others]))
  for (const { negotiated_rate: rate, flags } of rows)
    expect([rate, flags]).toEqual([rate, placeholders.includes(Number(rate)) ? ['placeholder'] : null])
  const percentages = await loadRows(
    fileOf([0.01, 1].map((negotiated_rate) => ({ negotiated_rate, negotiated_type: 'percentage' }))),
  )
  expect(flagsOf(percentages)).toEqual({ '0.0100': ['placeholder'], '1.0000': null })
})

it('flags an expired price that ended before the file was updated', async () => {
  const dates = ['2026-10-31', '2026-11-01', '9999-12-31']
  const prices = dates.map((expiration_date) => ({ expiration_date, negotiated_rate: 5 }))
  const rows = await loadRows({ ...fileOf(prices), last_updated_on: '2026-11-01' })
  expect(new Map(rows.map((row) => [row['expiration_date'], row['flags']]))).toEqual(
    new Map([
      ['2026-10-31', ['expired']],
      ['2026-11-01', null],
      ['9999-12-31', null],
    ]),
  )
})

describe('an amount for many codes', () => {
  const itemsOf = (codes: number, rate: Fields) =>
    Array.from({ length: codes }, (_, index) =>
      buildItem({ billing_code: String(90_000 + index), negotiated_rates: [rate] }),
    )
  const prices = [
    buildPrice({ negotiated_rate: 0.01, expiration_date: '2020-01-01' }),
    buildPrice({ negotiated_rate: 50 }),
  ]

  it('flags a blanket amount in the groups that have it for 50 codes or more, and in no other', async () => {
    const references = [1, 2].map((id) => buildReference({ provider_group_id: id }))
    const rate = (...ids: readonly number[]) => ({ provider_references: ids, negotiated_prices: prices })
    const items = [...itemsOf(49, rate(1, 2)), ...itemsOf(50, rate(2)).slice(49)]
    const content = buildFile({ plan_id_type: 'hios', provider_references: references, in_network: items })
    const rows = await loadRows(content)
    const found = new Set(
      rows.map((row) => JSON.stringify([row['provider_group_id'], row['negotiated_rate'], row['flags']])),
    )
    expect(found).toEqual(
      new Set([
        '["1","0.0100",["expired","placeholder"]]',
        '["1","50.0000",null]',
        '["2","0.0100",["blanket","expired","placeholder"]]',
        '["2","50.0000",["blanket"]]',
      ]),
    )
  })

  it('flags a blanket amount in any group that a price names, and gives each group the price once', async () => {
    const ids = [1, 2, 3, 4]
    const anyItem = fc.record({ references: fc.subarray(ids, { minLength: 1 }), amount: fc.constantFrom(50, 60) })
    const anyItems = fc.array(anyItem, { minLength: 100, maxLength: 130 })
    await fc.assert(
      fc.asyncProperty(anyItems, async (items) => {
        const in_network = items.map(({ references, amount }, index) => {
          const negotiated_prices = [amount, 70, amount].map((negotiated_rate) => buildPrice({ negotiated_rate }))
          const negotiated_rates = [{ provider_references: references, negotiated_prices }]
          return buildItem({ billing_code: String(90_000 + index), negotiated_rates })
        })
        const provider_references = ids.map((id) => buildReference({ provider_group_id: id }))
        await loadRows(buildFile({ plan_id_type: 'hios', provider_references, in_network }))
      }),
      { numRuns: 10 },
    )
  })

  it('flags a blanket amount in equal inline groups', async () => {
    const rate = { provider_groups: [buildGroup()], negotiated_prices: prices.slice(1) }
    const rows = await loadRows(buildFile({ plan_id_type: 'hios', in_network: itemsOf(50, rate) }))
    expect(flagsOf(rows)).toEqual({ '50.0000': ['blanket'] })
  })
})
