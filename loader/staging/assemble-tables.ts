import type { WarehouseTable } from '../../schema/warehouse-tables.ts'
import { providerGroupKey, sourceTables } from '../../schema/warehouse-tables.ts'
import type { RowFilter } from '../filter/row-filter.ts'
import type { Findings } from '../published/findings.ts'
import { rateUnitOf } from '../published/rate-unit.ts'
import { rowGroupSize } from '../warehouse/row-group-size.ts'
import { countReferences, filterGroups, matchNumbers, mergeDefinitions } from './join-references.ts'
import { itemColumns } from './stage-prices.ts'
import { termColumns } from './stage-terms.ts'
import { toLiteral } from './staged-value.ts'
import type { StagingDatabase } from './staging-database.ts'

/** What a staged file has become. */
export interface AssembledCounts {
  /** Published prices that became rows. */
  readonly prices: number
  /** Published prices that became none, but for those whose provider groups are in a file that is known to be missing. */
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

/** How a table is written: `zstd` reads as fast as others and is a third smaller. */
const parquet = (rows: number) => `(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${rowGroupSize(rows)})`

/**
 * Brings prices and provider groups together.
 *
 * @returns what they come to; references without a group are counted in the findings
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
 * Writes the tables of a source from what `joinStaged` brought together.
 *
 * @param priceIdPrefix comes before a price's ordinal in its id
 * @param fileOf the local path of a table's file, the first or a further part
 */
export async function writeTables(
  database: StagingDatabase,
  priceIdPrefix: string,
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
      await database.run(copy(`${selectGroups} ${order}`, await countGroupRows(database)))
    else if (prices.isSorted) {
      const parts = partsOf(prices.rows, database.threads)
      const select = selectRates(priceIdPrefix)
      await database.runSideBySide(
        parts.map((range, part) => copy(`${select} WHERE ${range}`, prices.rows / parts.length, part)),
      )
    } else await database.run(copy(`${selectRates(priceIdPrefix)} ORDER BY item_rank, group_rank`, prices.rows))
  }
}

/** Prices of an item that cannot be used are skipped; those of one that a filter leaves out were never there. */
async function dropItems(database: StagingDatabase): Promise<void> {
  await database.run('UPDATE rates SET priced = 0 WHERE item IN (SELECT item FROM left_out WHERE NOT filtered)')
  const filtered = '(SELECT item FROM left_out WHERE filtered)'
  await database.run(`DELETE FROM refs WHERE rate IN (SELECT rate FROM rates WHERE item IN ${filtered})`)
  await database.run(`DELETE FROM rates WHERE item IN ${filtered}`)
}

async function countGroupRows(database: StagingDatabase): Promise<number> {
  const [counted] = await database.query('SELECT coalesce(sum(row_count), 0)::bigint AS rows FROM groups')
  return Number(counted?.['rows'])
}

/** Rows that are worth a file of their own. */
const rowsPerPart = 1_000_000

/** Ranges of a sorted table, of about the same length, one a thread. */
function partsOf(rows: number, threads: number): readonly string[] {
  const count = Math.max(1, Math.min(threads, Math.floor(rows / rowsPerPart)))
  const bounds = Array.from({ length: count }, (_, part) => Math.floor((rows * part) / count))
  return bounds.map((from, part) => `sorted.rowid >= ${from} AND sorted.rowid < ${bounds[part + 1] ?? rows}`)
}

/** The unit follows from a type of the price and an arrangement of its item: few pairs, of which the rule is asked. */
async function nameUnits(database: StagingDatabase): Promise<void> {
  await database.run('CREATE TABLE units (negotiated_type varchar, negotiation_arrangement varchar, rate_unit varchar)')
  const pairs = await database.query(`
    SELECT * FROM (SELECT DISTINCT negotiated_type AS type FROM terms)
    CROSS JOIN (SELECT DISTINCT negotiation_arrangement AS arrangement FROM items)`)
  for (const pair of pairs) {
    const [type, arrangement] = [String(pair['type']), String(pair['arrangement'])]
    const values = [type, arrangement, rateUnitOf(type, arrangement)].map(toLiteral)
    await database.run(`INSERT INTO units VALUES (${values.join(', ')})`)
  }
}

/**
 * Up to so many groups, items and terms are joined to the sorted prices out of memory, which keeps their order; more
 * would be joined by way of the disk, which does not.
 */
const mostJoinedInMemory = 500_000

/**
 * Brings the prices into the order of `negotiated_rates` while a row is a few numbers: sorting the rows as they will be
 * written takes several times as long, and disk for what does not fit into memory.
 *
 * @returns how many rows there are, and whether their order lasts until they are written
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
  const isSorted = Number(sizes?.['joined']) <= mostJoinedInMemory
  if (isSorted) await database.keepOrder()
  await database.run(`
    CREATE TABLE sorted AS
    SELECT item_rank, group_rank, terms, negotiated_rate, ordinal
    FROM prices JOIN refs USING (rate) JOIN ranked_groups USING (number) JOIN (SELECT item, item_rank FROM ranked_items) USING (item)
    ${isSorted ? 'ORDER BY item_rank, group_rank' : ''}`)
  const [counted] = await database.query('SELECT count(*) AS rows FROM sorted')
  return { rows: Number(counted?.['rows']), isSorted }
}

/** Left joins, so that the sorted rows stream through in their order. */
function selectRates(priceIdPrefix: string): string {
  const [negotiatedRates] = sourceTables
  const sources: Readonly<Record<string, string>> = {
    ...Object.fromEntries(itemColumns.map((name) => [name, `ranked_items.${name}`])),
    ...Object.fromEntries(termColumns.map((name) => [name, `terms.${name}`])),
    [providerGroupKey.name]: 'ranked_groups.key',
    negotiated_rate: 'sorted.negotiated_rate',
    rate_unit: 'units.rate_unit',
    price_id: `${toLiteral(priceIdPrefix)} || sorted.ordinal::bigint`,
  }
  const columns = (negotiatedRates?.columns ?? []).map(({ name, type }) => `(${sources[name]})::${type} AS ${name}`)
  return `
    SELECT ${columns.join(', ')}
    FROM sorted
    LEFT JOIN ranked_items USING (item_rank) LEFT JOIN ranked_groups USING (group_rank) LEFT JOIN terms USING (terms)
    LEFT JOIN units ON units.negotiated_type = terms.negotiated_type
      AND units.negotiation_arrangement = ranked_items.negotiation_arrangement`
}

const selectGroups = `
  SELECT key AS ${providerGroupKey.name}, npi::bigint AS npi, tin_type, tin_value, tin_business_name, network_name,
    id AS provider_group_id, npi_count::integer AS provider_group_npi_count
  FROM (
    SELECT number, npi, tin_type, tin_value, tin_business_name, definitions.network_name
    FROM members JOIN tins USING (tin) JOIN definitions USING (definition)
    WHERE number NOT IN (SELECT number FROM groups WHERE merged)
    UNION ALL SELECT number, npi, tin_type, tin_value, tin_business_name, network_name FROM merged
  ) JOIN groups USING (number)`

async function countPrices(database: StagingDatabase): Promise<AssembledCounts> {
  const [counts] = await database.query(`
    WITH found AS (SELECT rate, sum(row_count) AS entries FROM refs JOIN groups USING (number) GROUP BY rate),
      absent AS (SELECT DISTINCT rate FROM dangling WHERE missing)
    SELECT coalesce(sum(priced) FILTER (entries > 0), 0)::bigint AS prices,
      coalesce(sum(published) FILTER (entries IS NULL AND absent.rate IS NULL), 0)::bigint
        + coalesce(sum(published - priced) FILTER (entries > 0), 0)::bigint AS skipped,
      coalesce(sum(priced * entries), 0)::bigint AS rates,
      count(DISTINCT (billing_code_type, billing_code)) FILTER (priced > 0 AND entries > 0) AS codes,
      coalesce(sum(published) FILTER (entries IS NULL OR entries > 0), 0)::bigint AS published
    FROM rates LEFT JOIN found USING (rate) LEFT JOIN absent USING (rate) LEFT JOIN items USING (item)`)
  const [providers] = await database.query(`
    SELECT count(DISTINCT npi) AS npis FROM members JOIN tins USING (tin) JOIN definitions USING (definition)
    WHERE npi <> 0 AND number IN (SELECT number FROM refs JOIN rates USING (rate) WHERE priced > 0)`)
  return {
    prices: Number(counts?.['prices']),
    skipped: Number(counts?.['skipped']),
    rates: Number(counts?.['rates']),
    codes: Number(counts?.['codes']),
    npis: Number(providers?.['npis']),
    published: Number(counts?.['published']),
  }
}
