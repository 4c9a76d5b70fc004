import type { ColumnHome } from '../../schema/columns/column.ts'
import type { ColumnName, ColumnsOf } from '../../schema/columns/rates.ts'
import { defineColumn, isOf, ratesColumns } from '../../schema/columns/rates.ts'
import type { WarehouseTable } from '../../schema/columns/warehouse-tables.ts'
import { priceOrdinal, providerGroupKey, sourceTables } from '../../schema/columns/warehouse-tables.ts'
import type { RowFilter } from '../filter/row-filter.ts'
import type { Findings } from '../published/findings.ts'
import { rateUnitOf } from '../published/values/rate-unit.ts'
import { rowGroupSize } from '../warehouse/row-group-size.ts'
import { countReferences, filterGroups, matchNumbers, memberColumns, mergeDefinitions } from './join-references.ts'
import { toLiteral } from './staged-value.ts'
import type { StagingDatabase } from './staging-database.ts'

/** What a staged file holds. */
export interface AssembledCounts {
  /** Published prices that became rows. */
  readonly prices: number
  /** Published prices that became no rows, except those whose provider groups are in a file that is known to be missing. */
  readonly skipped: number
  /** Rows that the file has in `rates`, for each plan. */
  readonly rates: number
  /** Distinct billing codes of its prices that became rows. */
  readonly codes: number
  /** Distinct NPIs of the provider groups that its prices name; 0 is not counted. */
  readonly npis: number
  /** Prices of the file that the filter keeps. */
  readonly published: number
}

/** `zstd` reads as fast as the other compressions and makes files a third smaller. */
const parquet = (rows: number) => `(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${rowGroupSize(rows)})`

/**
 * Joins prices and provider groups. References without a group are counted in the findings.
 */
export async function joinStaged(
  database: StagingDatabase,
  findings: Findings,
  filter: RowFilter,
): Promise<AssembledCounts> {
  await dropItems(database)
  await matchNumbers(database, findings)
  await mergeDefinitions(database)
  await countReferences(database, findings)
  await filterGroups(database, filter)
  return countPrices(database)
}

/**
 * Writes the tables of a source after `joinStaged`.
 *
 * @param fileOf the local path of one part of a table
 */
export async function writeTables(
  database: StagingDatabase,
  fileOf: (table: WarehouseTable, part: number) => string,
): Promise<void> {
  await nameUnits(database)
  const prices = await sortPrices(database)
  await database.beginWriting()
  for (const table of sourceTables) {
    const copy = (select: string, rows: number, part = 0) =>
      `COPY (${select}) TO ${toLiteral(fileOf(table, part))} ${parquet(rows)}`
    const order = `ORDER BY ${table.sortedBy.join(', ')}`
    if (table.name === 'provider_groups')
      await database.run(copy(`${selectGroups()} ${order}`, await countGroupRows(database)))
    else if (prices.isSorted) {
      const parts = partsOf(prices.rows, database.threads)
      const select = selectRates()
      await database.runSideBySide(
        parts.map((range, part) => copy(`${select} WHERE ${range}`, prices.rows / parts.length, part)),
      )
    } else await database.run(copy(`${selectRates()} ORDER BY item_rank, group_rank`, prices.rows))
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

/** Smaller parts are not worth a file each. */
const minRowsPerPart = 1_000_000

/** Splits a sorted table into ranges of equal length, one a thread. */
function partsOf(rows: number, threads: number): readonly string[] {
  const count = Math.max(1, Math.min(threads, Math.floor(rows / minRowsPerPart)))
  const bounds = Array.from({ length: count }, (_, part) => Math.floor((rows * part) / count))
  return bounds.map((from, part) => `sorted.rowid >= ${from} AND sorted.rowid < ${bounds[part + 1] ?? rows}`)
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

/**
 * Up to this many groups, items and terms, the join with the sorted prices fits in memory and keeps their order. A join
 * that spills to disk does not.
 */
const maxJoinedInMemory = 500_000

/**
 * Sorts the prices for `negotiated_rates` while a row is a few numbers: sorting whole rows takes several times as long,
 * and spills to disk.
 *
 * @returns the number of rows, and whether they are sorted; if not, they must be sorted as they are written
 */
async function sortPrices(database: StagingDatabase): Promise<{ readonly rows: number; readonly isSorted: boolean }> {
  await database.run(`
    CREATE TABLE ranked_items AS
    SELECT row_number() OVER (ORDER BY billing_code, billing_code_type, item)::uinteger AS item_rank, * FROM items`)
  await database.run(`
    CREATE TABLE ranked_groups AS
    SELECT row_number() OVER (ORDER BY key)::uinteger AS group_rank, number, key FROM groups WHERE row_count > 0`)
  const [sizes] = await database.query(`
    SELECT (SELECT count(*) FROM groups) + (SELECT count(*) FROM items) + (SELECT count(*) FROM terms) AS joined`)
  const isSorted = Number(sizes?.['joined']) <= maxJoinedInMemory
  if (isSorted) await database.keepOrder()
  await database.run(`
    CREATE TABLE sorted AS
    SELECT item_rank, group_rank, terms, negotiated_rate, ordinal
    FROM prices JOIN refs USING (rate) JOIN ranked_groups USING (number) JOIN (SELECT item, item_rank FROM ranked_items) USING (item)
    ${isSorted ? 'ORDER BY item_rank, group_rank' : ''}`)
  const [counted] = await database.query('SELECT count(*) AS rows FROM sorted')
  return { rows: Number(counted?.['rows']), isSorted }
}

/** Left joins keep the order of the sorted rows. */
function selectRates(): string {
  const ofPrice: Readonly<Record<ColumnsOf<'price'>, string>> = {
    negotiated_rate: 'sorted.negotiated_rate',
    rate_unit: 'units.rate_unit',
    // It is made by the view.
    price_id: 'NULL',
  }
  const columns = selectColumns('negotiated_rates', 'ranked_groups.key', (name) =>
    isOf('price', name) ? ofPrice[name] : isOf('item', name) ? `ranked_items.${name}` : `terms.${name}`,
  )
  return `
    SELECT ${columns}, sorted.ordinal::${priceOrdinal.type} AS ${priceOrdinal.name}
    FROM sorted
    LEFT JOIN ranked_items USING (item_rank) LEFT JOIN ranked_groups USING (group_rank) LEFT JOIN terms USING (terms)
    LEFT JOIN units ON units.negotiated_type = terms.negotiated_type
      AND units.negotiation_arrangement = ranked_items.negotiation_arrangement`
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
    ) JOIN groups USING (number)`
}

/** The columns of a table, each of its type. */
function selectColumns(home: ColumnHome, key: string, expressionOf: (name: ColumnName) => string): string {
  const columns = ratesColumns.filter((column) => column.home === home)
  return [
    `${key} AS ${providerGroupKey.name}`,
    ...columns.map(({ name, type }) => `(${expressionOf(name)})::${type} AS ${name}`),
  ].join(', ')
}

/** Few rates name a group that is not there, or that the filter leaves out: only theirs are looked up one by one. */
async function countPrices(database: StagingDatabase): Promise<AssembledCounts> {
  await database.run(`
    CREATE TABLE lost AS
    WITH suspects AS (
        SELECT rate FROM dangling
        UNION SELECT rate FROM refs WHERE number IN (SELECT number FROM groups WHERE row_count = 0)),
      found AS (
        SELECT rate, sum(row_count) AS entries
        FROM refs JOIN groups USING (number) WHERE rate IN (SELECT rate FROM suspects) GROUP BY rate)
    SELECT rate, entries IS NOT NULL AS filtered, rate IN (SELECT rate FROM dangling WHERE missing) AS missing
    FROM suspects LEFT JOIN found USING (rate) WHERE entries IS NULL OR entries = 0`)
  const [counts] = await database.query(`
    SELECT coalesce(sum(priced) FILTER (filtered IS NULL), 0)::bigint AS prices,
      coalesce(sum(published - priced) FILTER (filtered IS NULL), 0)::bigint
        + coalesce(sum(published) FILTER (NOT filtered AND NOT missing), 0)::bigint AS skipped,
      coalesce(sum(published) FILTER (filtered IS NOT true), 0)::bigint AS published
    FROM rates LEFT JOIN lost USING (rate)`)
  const [rows] = await database.query(`
    SELECT (SELECT coalesce(sum(priced * row_count), 0)::bigint FROM refs JOIN groups USING (number)) AS rates,
      (SELECT count(DISTINCT (billing_code_type, billing_code)) FROM items
        WHERE item IN (SELECT item FROM rates ANTI JOIN lost USING (rate) WHERE priced > 0)) AS codes,
      (SELECT count(DISTINCT npi) FROM members JOIN tins USING (tin) JOIN definitions USING (definition)
        WHERE npi <> 0 AND number IN (SELECT number FROM refs WHERE priced > 0)) AS npis`)
  return {
    prices: Number(counts?.['prices']),
    skipped: Number(counts?.['skipped']),
    rates: Number(rows?.['rates']),
    codes: Number(rows?.['codes']),
    npis: Number(rows?.['npis']),
    published: Number(counts?.['published']),
  }
}
