import type { ColumnHome } from '../../schema/columns/column.ts'
import type { ColumnName, ColumnsOf } from '../../schema/columns/rates.ts'
import { defineColumn, isOf, ratesColumns } from '../../schema/columns/rates.ts'
import type { WarehouseTable } from '../../schema/columns/warehouse-tables.ts'
import { priceOrdinal, providerGroupKey, sourceTables } from '../../schema/columns/warehouse-tables.ts'
import type { RowFilter } from '../filter/row-filter.ts'
import type { PartGroups } from '../inline-groups/inline-groups.ts'
import type { Findings } from '../published/findings.ts'
import { rateUnitOf } from '../published/values/rate-unit.ts'
import { inlineMark } from '../staging/group-tables.ts'
import { toLiteral } from '../staging/staged-value.ts'
import type { StagingDatabase } from '../staging/staging-database.ts'
import { rowGroupSize } from '../warehouse/row-group-size.ts'
import type { PriceCounts } from './count-prices.ts'
import { countPrices } from './count-prices.ts'
import {
  countReferences,
  filterGroups,
  matchNumbers,
  memberColumns,
  mergeDefinitions,
  viewDefinitions,
  viewGroups,
} from './join-references.ts'
import type { HeldSizes, SortedPrices } from './sort-prices.ts'
import { sortPrices } from './sort-prices.ts'
import { writePrices } from './write-prices.ts'

/** `zstd` reads as fast as the other compressions and makes files a third smaller. */
const parquet = (rows: number) => `(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${rowGroupSize(rows)})`

/** Joins prices and provider groups of a part. References without a group are counted in the findings. */
export async function joinStaged(
  database: StagingDatabase,
  findings: Findings,
  filter: RowFilter,
): Promise<PriceCounts> {
  await dropItems(database)
  await viewDefinitions(database)
  await matchNumbers(database, findings)
  await mergeDefinitions(database)
  await viewGroups(database)
  await countReferences(database, findings)
  await filterGroups(database, filter)
  return countPrices(database)
}

/** How the tables of a part are written. */
export interface TableWriting {
  /** Gives a local path for each file of a table; undefined if the table needs no file without rows. */
  readonly nextFile: (table: WarehouseTable, rows: number) => string | undefined
  readonly held: HeldSizes
  /** The inline groups that the part's prices name. */
  readonly inline: PartGroups
}

/** Writes the tables of a part after `joinStaged`: its prices, and the groups of its references. */
export async function writeTables(database: StagingDatabase, writing: TableWriting): Promise<void> {
  const sorted = await sortPrices(database, writing.inline, writing.held)
  await database.beginWriting()
  for (const table of sourceTables) {
    const isGroups = table.name === 'provider_groups'
    const rows = isGroups ? await countGroupRows(database) : sorted.rows
    const path = writing.nextFile(table, rows)
    if (path === undefined) continue
    if (!isGroups && sorted.form !== 'unsorted prices') await writePrices(database, table, path, sorted)
    else {
      const select = isGroups ? selectGroups() : await selectRates(database, sorted)
      await database.run(`COPY (${select}) TO ${toLiteral(path)} ${parquet(rows)}`)
    }
  }
}

/** Prices of an unusable item count as skipped; those of an item that the filter leaves out are not counted at all. */
async function dropItems(database: StagingDatabase): Promise<void> {
  const [leftOut] = await database.query('SELECT count(*) AS items FROM left_out')
  if (Number(leftOut?.['items']) === 0) return
  const ratesOf = (items: string) => `(SELECT rate FROM rates WHERE item IN (SELECT item FROM left_out WHERE ${items}))`
  for (const table of ['refs', 'rates'])
    await database.run(`UPDATE ${table} SET priced = 0 WHERE rate IN ${ratesOf('NOT filtered')}`)
  for (const table of ['refs', 'rates']) await database.run(`DELETE FROM ${table} WHERE rate IN ${ratesOf('filtered')}`)
}

async function countGroupRows(database: StagingDatabase): Promise<number> {
  const [counted] = await database.query('SELECT coalesce(sum(row_count), 0)::bigint AS rows FROM groups')
  return Number(counted?.['rows'])
}

/** The unit depends on the type of a price and the arrangement of its item, of which a file has few pairs. */
async function nameUnits(database: StagingDatabase): Promise<void> {
  const columns = ['negotiated_type', 'negotiation_arrangement', 'rate_unit'] as const
  const units = await database.createTable(
    'units',
    columns.map((name) => defineColumn(name)),
  )
  const pairs = await database.query(`
    SELECT * FROM (SELECT DISTINCT negotiated_type AS type FROM terms)
    CROSS JOIN (SELECT DISTINCT negotiation_arrangement AS arrangement FROM items)`)
  for (const pair of pairs) {
    const [negotiated_type, negotiation_arrangement] = [String(pair['type']), String(pair['arrangement'])]
    const rate_unit = rateUnitOf(negotiated_type, negotiation_arrangement)
    units.add({ negotiated_type, negotiation_arrangement, rate_unit })
  }
  units.close()
}

/** Sorts whole rows, which takes several times as long, for parts with more groups, items and terms than fit in memory. */
async function selectRates(database: StagingDatabase, { inline }: SortedPrices): Promise<string> {
  const { first, before } = inline
  await nameUnits(database)
  const inlineKey = `${toLiteral(inlineMark)} || printf('%08x', sorted.group_rank - 1 - ${before} + ${first})`
  const ofPrice: Readonly<Record<ColumnsOf<'price'>, string>> = {
    negotiated_rate: 'sorted.negotiated_rate',
    rate_unit: 'units.rate_unit',
    // It is made by the view.
    price_id: 'NULL',
  }
  const columns = selectColumns('negotiated_rates', `coalesce(ranked_groups.key, ${inlineKey})`, (name) =>
    isOf('price', name) ? ofPrice[name] : isOf('item', name) ? `ranked_items.${name}` : `terms.${name}`,
  )
  return `
    SELECT ${columns}, ordinal::${priceOrdinal.type} AS ${priceOrdinal.name}
    FROM sorted
    LEFT JOIN ranked_items USING (item_rank) LEFT JOIN ranked_groups USING (group_rank) LEFT JOIN terms USING (terms)
    LEFT JOIN units ON units.negotiated_type = terms.negotiated_type
      AND units.negotiation_arrangement = ranked_items.negotiation_arrangement
    ORDER BY item_rank, group_rank`
}

function selectGroups(): string {
  const ofMember: Readonly<Record<ColumnsOf<'member'>, string>> = { npi: 'npi', provider_group_npi_count: 'npi_count' }
  const columns = selectColumns('provider_groups', 'key', (name) => (isOf('member', name) ? ofMember[name] : name))
  return `
    SELECT ${columns}
    FROM (
      SELECT number, ${memberColumns}
      FROM members JOIN tins USING (tin) JOIN definitions USING (definition)
      WHERE number NOT IN (SELECT number FROM groups WHERE merged)
      UNION ALL SELECT number, ${memberColumns} FROM merged AS definitions
    ) JOIN groups USING (number)
    ORDER BY npi, ${providerGroupKey.name}`
}

/** The columns of a table, each of its type. */
function selectColumns(home: ColumnHome, key: string, expressionOf: (name: ColumnName) => string): string {
  const columns = ratesColumns.filter((column) => column.home === home)
  return [
    `${key} AS ${providerGroupKey.name}`,
    ...columns.map(({ name, type }) => `(${expressionOf(name)})::${type} AS ${name}`),
  ].join(', ')
}
