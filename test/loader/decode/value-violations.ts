import { buildGroup, buildItem, buildPrice, buildReference, type Fields } from '../../builders/in-network-builder.ts'
import { type Case, groups, items, noRows, prices, rates, references, sameRow } from './violation-cases.ts'

/** An item with one price, and the reference that the price names. */
export interface Pair {
  readonly item: unknown
  readonly reference: unknown
}

/**
 * A value that the schema does not allow. `rows` has one object per row, with the columns that differ from those of a
 * file without the value; empty if the price is lost. `$` instead of quotes around a text writes it as a number.
 */
export interface Violation {
  readonly title: string
  readonly pair: (id: number) => Pair
  readonly rows: readonly Fields[]
  /** The expected findings, by rule. */
  readonly findings: Readonly<Record<string, number>>
}

const npiOf = (id: number) => 1_000_000_000 + id

const referenceOf = (id: number, group: Fields = {}, fields: Fields = {}) =>
  buildReference({ provider_group_id: id, provider_groups: [buildGroup({ npi: [npiOf(id)], ...group })], ...fields })

const itemCase = ([title, odd, rows, findings]: Case): Violation => ({
  title,
  pair: (id) => ({ item: { ...buildItem({ references: [id] }), ...odd }, reference: referenceOf(id) }),
  rows,
  findings,
})

const rateCase = ([title, odd, rows, findings]: Case): Violation => ({
  title,
  pair: (id) => {
    const rate = { provider_references: [id], negotiated_prices: [buildPrice()], ...odd }
    return { item: buildItem({ negotiated_rates: [rate] }), reference: referenceOf(id) }
  },
  rows,
  findings,
})

const priceCase = ([title, odd, rows, findings]: Case): Violation => ({
  title,
  pair: (id) => ({ item: buildItem({ references: [id], prices: [buildPrice(odd)] }), reference: referenceOf(id) }),
  rows,
  findings,
})

const groupCase = ([title, odd, rows, findings]: Case): Violation => ({
  title,
  pair: (id) => ({ item: buildItem({ references: [id] }), reference: referenceOf(id, odd) }),
  rows,
  findings,
})

const referenceCase = ([title, odd, rows, findings]: Case): Violation => ({
  title,
  pair: (id) => ({ item: buildItem({ references: [id] }), reference: referenceOf(id, {}, odd) }),
  rows,
  findings,
})

const others: readonly Violation[] = [
  {
    title: 'an item that is null',
    pair: (id) => ({ item: null, reference: referenceOf(id) }),
    rows: noRows,
    findings: { 'unfit-item': 1 },
  },
  {
    title: 'a reference that is a text',
    pair: (id) => ({ item: buildItem({ references: [id] }), reference: 'x' }),
    rows: noRows,
    findings: { 'unfit-reference': 1, 'dangling-reference': 1 },
  },
  {
    title: 'an id with a fraction of zero',
    pair: (id) => ({
      item: buildItem({ references: [id] }),
      reference: referenceOf(id, {}, { provider_group_id: `$${id}.0$` }),
    }),
    rows: sameRow,
    findings: { 'numeric-reference': 1 },
  },
  {
    title: 'a reference with an exponent',
    pair: (id) => ({ item: buildItem({ references: [`$${id}e0$`] }), reference: referenceOf(id) }),
    rows: sameRow,
    findings: { 'numeric-reference': 1 },
  },
]

export const violations: readonly Violation[] = [
  ...items.map(itemCase),
  ...rates.map(rateCase),
  ...prices.map(priceCase),
  ...groups.map(groupCase),
  ...references.map(referenceCase),
  ...others,
]
