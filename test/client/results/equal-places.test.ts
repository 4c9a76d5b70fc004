import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { joinPlaces, mergePlaces, placesOfRow } from '../../../client/results/equal-places.ts'
import type { ResultRow } from '../../../client/results/result-row.ts'
import { Decimal } from '../../../parquet/decimal.ts'

const shown = ['plan', 'place_of_service', 'value_count', 'median']

/** Rows of few distinct groups and statistics, each group once at each place, as a summary has them. */
const anyRows = fc.uniqueArray(
  fc.record({
    plan: fc.constantFrom('Gold', 'Silver'),
    place_of_service: fc.constantFrom('11', '22', '24', 'CSTM-00', 'many', null),
    value_count: fc.constantFrom(1n, 2n),
    median: fc.constantFrom(new Decimal(920_000n, 4), null),
    price_count: fc.bigInt({ min: 0n, max: 3n }),
  }),
  { selector: ({ plan, place_of_service }) => `${plan} ${place_of_service}` },
)

/** Returns a row for each place of a row. */
const expand = (row: ResultRow) => placesOfRow(row).map((place) => ({ ...row, place_of_service: place }))

const show = (row: ResultRow) => JSON.stringify(shown.map((name) => String(row[name])))

const row = (place: string | null, facts: object = {}): ResultRow => ({
  plan: 'Gold',
  place_of_service: place,
  value_count: 8n,
  median: new Decimal(920_000n, 4),
  ...facts,
})

const placesOf = (rows: readonly ResultRow[]) => joinPlaces(rows, shown).map((each) => each['place_of_service'])

describe('rows of a summary that differ only in their place of service', () => {
  it('give the same rows back when their places are expanded, with all that is shown', () => {
    fc.assert(
      fc.property(anyRows, (rows) => {
        const expanded = mergePlaces(rows, shown).flatMap(expand)
        expect(expanded.map(show).sort()).toEqual(rows.map(show).sort())
      }),
    )
  })

  it('become one row at the position of the first, so the others keep their order', () => {
    fc.assert(
      fc.property(anyRows, (rows) => {
        const positions = mergePlaces(rows, shown).map((merged) =>
          rows.map(show).indexOf(show({ ...merged, place_of_service: placesOfRow(merged)[0] })),
        )
        expect(positions).toEqual(positions.toSorted((one, other) => one - other))
      }),
    )
  })

  it('become one row each time: no two merged rows at places show the same, and merging again changes nothing', () => {
    fc.assert(
      fc.property(anyRows, (rows) => {
        const merged = mergePlaces(rows, shown)
        expect(mergePlaces(merged, shown)).toEqual(merged)
        const apart = merged.filter((each) => ['11', '22', '24'].includes(String(placesOfRow(each)[0])))
        expect(new Set(apart.map((each) => show({ ...each, place_of_service: '' }))).size).toBe(apart.length)
      }),
    )
  })

  it('stay apart if anything that is shown differs', () => {
    expect(placesOf([row('11'), row('22', { value_count: 9n })])).toEqual([
      'Office (11)',
      'On-campus outpatient hospital (22)',
    ])
  })

  it('stay apart from rows for all places, for too many and for none', () => {
    expect(placesOf([row(null), row('CSTM-00'), row('many'), row('11'), row('22')])).toEqual([
      null,
      'any place (CSTM-00)',
      'more than 100 places',
      'Office, On-campus outpatient hospital (11, 22)',
    ])
  })

  it('show their codes alone if these are many or have no name', () => {
    expect(placesOf(['11', '22', '24'].map((place) => row(place)))).toEqual(['11, 22, 24'])
    expect(placesOf(['11', '28'].map((place) => row(place)))).toEqual(['11, 28'])
    const all = Array.from({ length: 60 }, (_, code) => String(code + 1).padStart(2, '0'))
    expect(placesOf(all.map((place) => row(place)))).toEqual([expect.stringMatching(/^01, 02, .*, 12 and 48 more$/)])
  })
})
