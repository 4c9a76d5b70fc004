import type { ColumnsOf } from '../../schema/columns/rates.ts'
import { isOf, ratesColumns } from '../../schema/columns/rates.ts'
import type { WarehouseTable } from '../../schema/columns/warehouse-tables.ts'
import { priceOrdinal, providerGroupKey } from '../../schema/columns/warehouse-tables.ts'
import type { PartGroups } from '../inline-groups/inline-groups.ts'
import type { ColumnValue } from '../parquet/column-values.ts'
import type { RowChunk } from '../parquet/write-rows.ts'
import { writeRows } from '../parquet/write-rows.ts'
import { rateUnitOf } from '../published/values/rate-unit.ts'
import type { StagingDatabase } from '../staging/staging-database.ts'
import { GroupKeys } from './group-keys.ts'
import { readValues } from './read-values.ts'

/** Inline groups with their ranks among all groups of a part: they come after `before` references. */
export interface RankedInline extends PartGroups {
  readonly before: number
}

/** The sorted prices of a part. */
export interface RankedPrices {
  readonly rows: number
  readonly inline: RankedInline
  /** The place of a price in its file, in SQL. */
  readonly ordinal: string
}

/** Writes the sorted prices of a part. */
export async function writePrices(
  database: StagingDatabase,
  { columns }: WarehouseTable,
  path: string,
  { rows, inline, ordinal }: RankedPrices,
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
  const select = `SELECT item_rank - 1, group_rank - 1, terms, negotiated_rate, ${ordinal} FROM sorted`
  const chunks = async function* (): AsyncGenerator<RowChunk> {
    for await (const chunk of database.readNumbers(select)) {
      const [item, group, term] = [chunk.uinteger(0), chunk.uinteger(1), chunk.uinteger(2)]
      yield {
        rows: chunk.rows,
        ids: [item, group, term, units.find(item, term, chunk.rows)],
        integers: [chunk.decimal(3), chunk.bigint(4)],
      }
    }
  }
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
    chunks(),
  )
}

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
