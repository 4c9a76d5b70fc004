import type { ColumnsOf } from '../../schema/columns/rates.ts'
import { isOf, ratesColumns } from '../../schema/columns/rates.ts'
import type { WarehouseTable } from '../../schema/columns/warehouse-tables.ts'
import { priceOrdinal, providerGroupKey } from '../../schema/columns/warehouse-tables.ts'
import type { ColumnValue } from '../parquet/column-values.ts'
import type { RowChunk } from '../parquet/write-rows.ts'
import { writeRows } from '../parquet/write-rows.ts'
import { rateUnitOf } from '../published/values/rate-unit.ts'
import type { StagingDatabase } from '../staging/staging-database.ts'
import { GroupKeys } from './group-keys.ts'
import { HeldPrices } from './held-prices.ts'
import { readValues } from './read-values.ts'
import type { SortedPrices } from './sort-prices.ts'

/** Writes the sorted prices of a part. */
export async function writePrices(
  database: StagingDatabase,
  { columns }: WarehouseTable,
  path: string,
  { rows, form, prices, inline }: SortedPrices,
): Promise<void> {
  const items = await readValues(database, 'ranked_items ORDER BY item_rank', ofUnit('item'))
  const terms = await readValues(database, 'terms ORDER BY terms', ofUnit('terms'))
  const [types, arrangements] = [terms.get('negotiated_type'), items.get('negotiation_arrangement')]
  if (types === undefined || arrangements === undefined) throw new TypeError('prices have no type or no arrangement')
  const units = new Units(types, arrangements)
  const [ofReferences = []] = await database.readColumns('SELECT key FROM ranked_groups ORDER BY group_rank')
  const keys = new GroupKeys(ofReferences.map(String), inline)
  const ofPrice: Readonly<Record<ColumnsOf<'price'>, 'integer' | readonly ColumnValue[]>> = {
    negotiated_rate: 'integer',
    rate_unit: units.values,
    // It is made by the view.
    price_id: units.values.map(() => null),
  }
  const ofUnits = Object.entries(ofPrice).flatMap(([name, values]) =>
    typeof values === 'string' ? [] : [[name, values] as const],
  )
  await writeRows(
    {
      path,
      columns,
      rows,
      shared: [
        { values: items, hasRuns: true },
        { values: new Map([[providerGroupKey.name, keys]]) },
        { values: terms },
        { values: new Map(ofUnits) },
      ],
      integers: ['negotiated_rate', priceOrdinal.name],
    },
    form === 'rates'
      ? expandRates(database, await HeldPrices.read(database, prices), units)
      : readPrices(database, units),
  )
}

/** Reads the rows of `sorted`, which are prices. */
async function* readPrices(database: StagingDatabase, units: Units): AsyncGenerator<RowChunk> {
  const select = `SELECT item_rank - 1, group_rank - 1, terms, negotiated_rate, ordinal::bigint FROM sorted`
  for await (const chunk of database.readNumbers(select)) {
    const [item, group, terms] = [chunk.uinteger(0), chunk.uinteger(1), chunk.uinteger(2)]
    yield {
      rows: chunk.rows,
      ids: [item, group, terms, units.find(item, terms, chunk.rows)],
      integers: [chunk.decimal(3), chunk.bigint(4)],
    }
  }
}

/** Reads the rows of `sorted`, which are rates, and gives their prices. */
async function* expandRates(database: StagingDatabase, held: HeldPrices, units: Units): AsyncGenerator<RowChunk> {
  const [item, group, terms] = [
    new Uint32Array(expandedRows),
    new Uint32Array(expandedRows),
    new Uint32Array(expandedRows),
  ]
  const [amounts, ordinals] = [new BigInt64Array(expandedRows), new BigInt64Array(expandedRows)]
  const take = (rows: number): RowChunk => ({
    rows,
    ids: [item, group, terms, units.find(item, terms, rows)],
    integers: [amounts, ordinals],
  })
  let rows = 0
  for await (const chunk of database.readNumbers('SELECT item_rank - 1, group_rank - 1, rate FROM sorted')) {
    const [items, groups, rates] = [chunk.uinteger(0), chunk.uinteger(1), chunk.uinteger(2)]
    for (let row = 0; row < chunk.rows; row++) {
      const rate = rates[row] ?? 0
      const end = held.startOf(rate + 1)
      for (let price = held.startOf(rate); price < end; price++) {
        item[rows] = items[row] ?? 0
        group[rows] = groups[row] ?? 0
        terms[rows] = held.terms[price] ?? 0
        amounts[rows] = held.amounts[price] ?? 0n
        ordinals[rows] = held.ordinals[price] ?? 0n
        if (++rows < expandedRows) continue
        yield take(rows)
        rows = 0
      }
    }
  }
  if (rows > 0) yield take(rows)
}

/** Rows of prices that are passed on together. */
const expandedRows = 8192

const ofUnit = (unit: 'item' | 'terms') => ratesColumns.filter(({ name }) => isOf(unit, name))

/** The unit of a rate depends on the type of its price and the arrangement of its item, of which a file has few pairs. */
class Units {
  readonly values: readonly string[]
  readonly #typeOf: Uint32Array
  readonly #arrangementOf: Uint32Array
  readonly #arrangements: number
  #found = new Uint32Array(0)

  /**
   * @param types those of the terms
   * @param arrangements those of the items
   */
  constructor(types: readonly ColumnValue[], arrangements: readonly ColumnValue[]) {
    const [distinctTypes, distinctArrangements] = [[...new Set(types)], [...new Set(arrangements)]]
    this.values = distinctTypes.flatMap((type) =>
      distinctArrangements.map((arrangement) => rateUnitOf(String(type), String(arrangement))),
    )
    this.#typeOf = indexesOf(types, distinctTypes)
    this.#arrangementOf = indexesOf(arrangements, distinctArrangements)
    this.#arrangements = distinctArrangements.length
  }

  /** Finds the unit of each row; it is valid until the next call. */
  find(items: Uint32Array, terms: Uint32Array, rows: number): Uint32Array {
    if (this.#found.length < rows) this.#found = new Uint32Array(rows)
    for (let row = 0; row < rows; row++)
      this.#found[row] =
        (this.#typeOf[terms[row] ?? 0] ?? 0) * this.#arrangements + (this.#arrangementOf[items[row] ?? 0] ?? 0)
    return this.#found
  }
}

function indexesOf(values: readonly ColumnValue[], distinct: readonly ColumnValue[]): Uint32Array {
  const indexes = new Map(distinct.map((value, index) => [value, index]))
  return Uint32Array.from(values, (value) => indexes.get(value) ?? 0)
}
