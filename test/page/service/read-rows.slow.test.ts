import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ResultRow } from '../../../client/results/result-row.ts'
import { type SummaryWeight, summaryWeights } from '../../../contract/summaries.ts'
import { maxFirstRows, readRows } from '../../../page/service/read-rows.ts'
import {
  groupPrices,
  listClasses,
  listCodes,
  listModifiers,
  listPlaces,
  listUnits,
  pricedColumns,
} from '../../../page/statistics/rate-groups.ts'
import { generateResult } from './generated-result.ts'
import { writeResult } from './written-result.ts'

async function generate(...result: Parameters<typeof generateResult>) {
  const { files, found } = await generateResult(...result)
  return { files: files.map(openBytes), found }
}

const openBytes = (bytes: ArrayBuffer) => {
  const slice = async (start: number, end = bytes.byteLength) => bytes.slice(start, end)
  return { slice, open: async () => ({ byteLength: bytes.byteLength, slice }) }
}

/** SQL of the things that count once, by weight. */
const things = {
  tins: "tin_type || '/' || tin_value",
  prices: 'price_id',
  npis: 'nullif(npi, 0)::VARCHAR',
} as const satisfies Record<SummaryWeight, string>

/** Each statistic as SQL computes it over the whole result, at the places that prices of the same kind name. */
const statistics = (weight: SummaryWeight) => `
  WITH places AS (
    SELECT *, unnest(CASE WHEN list_contains(service_code, 'CSTM-00') THEN ['11', '22'] ELSE service_code END) AS place
    FROM rates
  ), prices AS (
    SELECT DISTINCT billing_code, coalesce(billing_class, '') AS class, rate_unit,
      coalesce(array_to_string(billing_code_modifier, ', '), '') AS modifiers, place, payer, plan, negotiated_type, ${things[weight]} AS thing, negotiated_rate::DOUBLE AS rate
    FROM places WHERE thing IS NOT NULL
  )
  SELECT 'CPT ' || billing_code, class, rate_unit, modifiers, place, payer, plan, negotiated_type || ',ffs', count(*)::INTEGER,
    quantile_disc(rate, 0.1), quantile_disc(rate, 0.25), quantile_disc(rate, 0.5), quantile_disc(rate, 0.75), quantile_disc(rate, 0.9)
  FROM prices
  WHERE (billing_code, class, rate_unit, modifiers, place) IN (
    SELECT (billing_code, coalesce(billing_class, ''), rate_unit, coalesce(array_to_string(billing_code_modifier, ', '), ''), named)
    FROM (SELECT *, unnest(service_code) AS named FROM rates) WHERE named <> 'CSTM-00'
  ) GROUP BY ALL`

/** Each statistic that the page can show of rows. */
const listStatistics = (rows: readonly ResultRow[], weight: SummaryWeight) =>
  listCodes(rows, weight).flatMap((code) =>
    listClasses(code.rows, weight).flatMap((billingClass) =>
      listUnits(billingClass.rows, weight).flatMap((unit) =>
        listModifiers(unit.rows, weight).flatMap((modifiers) =>
          listPlaces(modifiers.rows, weight)
            .filter(({ value }) => value !== 'CSTM-00')
            .flatMap((position) =>
              groupPrices(position.rows, weight).map(({ payer, plan, terms, prices, percentiles }) =>
                [
                  ...[code.value, billingClass.value, unit.value, modifiers.value, position.value],
                  ...[payer, plan, terms.join(), prices.length, ...percentiles],
                ].join('|'),
              ),
            ),
        ),
      ),
    ),
  )

describe('rows of a result', () => {
  it('give the statistics that SQL gives over the whole result', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ rows: fc.constantFrom(40, 1000, 5000), files: fc.integer({ min: 1, max: 3 }), seed: fc.nat() }),
        fc.constantFrom(...summaryWeights),
        async (result, weight) => {
          const { files, found } = await generate(result, statistics(weight))
          const read = await readRows(files, pricedColumns)
          expect(read).toMatchObject({ isAll: true })
          const rows = read?.rows ?? []
          expect(rows).toHaveLength(result.rows)
          expect(listStatistics(rows, weight).toSorted()).toEqual(found.map((row) => row.join('|')).toSorted())
        },
      ),
      { numRuns: 9 },
    )
  })

  it('consist of the first ones if there are too many, and of all of a code on request', async () => {
    const size = { rows: 264_000, files: 2, seed: 7 }
    const { files, found } = await generate(size, "SELECT count(*)::INTEGER FROM rates WHERE billing_code = '90003'")
    const first = await readRows(files, pricedColumns)
    expect(first).toMatchObject({ isAll: false })
    expect(first?.rows).toHaveLength(maxFirstRows)
    const read = await readRows(files, pricedColumns, '90003')
    expect(read).toMatchObject({ isAll: true })
    expect([[read?.rows.length]]).toEqual(found)
    expect(new Set(read?.rows.map((row) => row['billing_code']))).toEqual(new Set(['90003']))
    expect(await readRows(files, pricedColumns, '0.9-0003')).toEqual(read)
    expect((await readRows(files, pricedColumns, '12345'))?.rows).toEqual([])
  })

  it('consist of the first ones if lists have more elements than a page can hold', async () => {
    const bytes = await writeResult(600, { service_code: "repeat(['P'], 30000)" })
    const files = [bytes, bytes, bytes].map(openBytes)
    const read = await readRows(files, pricedColumns)
    expect(read?.isAll).toBe(false)
    expect(read?.rows.length).toBeGreaterThan(100)
    expect(read?.rows.length).toBeLessThan(170)
    expect(await readRows(files, pricedColumns, '73721')).toBe(undefined)
  })

  it('stay unread for a code if there are more files than can be opened', async () => {
    const { files } = await generate({ rows: 40, files: 1, seed: 1 }, 'SELECT 1')
    const many = Array.from({ length: 51 }, () => files).flat()
    expect(await readRows(many, pricedColumns, '90003')).toBe(undefined)
    expect(await readRows(many, pricedColumns)).toMatchObject({ isAll: false })
  })
})
