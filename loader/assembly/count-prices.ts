import type { NpiRuns } from '../inline-groups/npi-runs.ts'
import type { StagingDatabase } from '../staging/staging-database.ts'
import { mainDatabase } from '../staging/staging-database.ts'

/** What a part of a file holds. */
export interface PriceCounts {
  /** Published prices that became rows. */
  readonly prices: number
  /** Published prices that became no rows, except those whose provider groups are in a file that is known to be missing. */
  readonly skipped: number
  /** Rows that the part has in `rates`, for each plan. */
  readonly rates: number
  /** Prices that the filter keeps. */
  readonly published: number
}

/** What a file holds. */
export interface FileCounts extends PriceCounts {
  /** Distinct billing codes of its prices that became rows. */
  readonly codes: number
  /** Distinct NPIs of the provider groups that its prices name; 0 is not counted. */
  readonly npis: number
}

const usedCodes = `
  SELECT DISTINCT billing_code_type, billing_code FROM items
  WHERE item IN (SELECT item FROM rates ANTI JOIN lost USING (rate) WHERE priced > 0)`
const usedNumbers = 'SELECT DISTINCT number FROM refs WHERE priced > 0'
const npisOf = (numbers: string) => `
  SELECT npi FROM members JOIN tins USING (tin) JOIN definitions USING (definition)
  WHERE npi <> 0 AND number IN (${numbers})`

/** Few rates name a group that is not there, or that the filter leaves out: only theirs are looked up one by one. */
export async function countPrices(database: StagingDatabase): Promise<PriceCounts> {
  await database.run(`
    CREATE TABLE lost AS
    WITH suspects AS (
        SELECT rate FROM dangling
        UNION SELECT rate FROM refs WHERE number IN (SELECT number FROM known_groups WHERE row_count = 0)),
      found AS (
        SELECT rate, sum(row_count) AS entries
        FROM (SELECT rate, row_count FROM refs JOIN known_groups USING (number)
          UNION ALL SELECT rate, inline_rows FROM rates WHERE inline_rows > 0)
        WHERE rate IN (SELECT rate FROM suspects) GROUP BY rate)
    SELECT rate, entries IS NOT NULL AS filtered, rate IN (SELECT rate FROM dangling WHERE missing) AS missing
    FROM suspects LEFT JOIN found USING (rate) WHERE entries IS NULL OR entries = 0`)
  const [counts] = await database.query(`
    SELECT coalesce(sum(priced) FILTER (filtered IS NULL), 0)::bigint AS prices,
      coalesce(sum(published - priced) FILTER (filtered IS NULL), 0)::bigint
        + coalesce(sum(published) FILTER (NOT filtered AND NOT missing), 0)::bigint AS skipped,
      coalesce(sum(published) FILTER (filtered IS NOT true), 0)::bigint AS published,
      (SELECT coalesce(sum(priced * row_count), 0)::bigint FROM refs JOIN known_groups USING (number))
        + coalesce(sum(priced * inline_rows), 0)::bigint AS rates
    FROM rates LEFT JOIN lost USING (rate)`)
  return {
    prices: Number(counts?.['prices']),
    skipped: Number(counts?.['skipped']),
    rates: Number(counts?.['rates']),
    published: Number(counts?.['published']),
  }
}

const usedTables: Readonly<Record<string, string>> = {
  used_numbers: 'number bigint',
  used_codes: 'billing_code_type varchar, billing_code varchar',
  used_npis: 'npi double',
}

/** Creates the tables of `noteUsed` in the database of a file's first part. */
export async function createUsedTables(first: StagingDatabase): Promise<void> {
  for (const [table, columns] of Object.entries(usedTables))
    await first.run(`CREATE TABLE ${mainDatabase}.${table} (${columns})`)
}

/** Notes which codes and NPIs the prices of a part name, because its tables are removed before the file is counted. */
export async function noteUsed(part: StagingDatabase): Promise<void> {
  const into = (table: string) => `INSERT INTO ${mainDatabase}.${table}`
  await part.run(`${into('used_numbers')} ${usedNumbers}`)
  await part.run(`${into('used_codes')} ${usedCodes}`)
  // References stay in the tables of the database that has them.
  if (part.references !== undefined)
    await part.run(`${into('used_npis')} SELECT DISTINCT npi FROM (${npisOf(usedNumbers)})`)
}

/**
 * @param hasParts whether parts of the file were noted; if not, it has only the first
 * @param npis those of inline groups; those of references are added
 */
export async function countDistinct(
  first: StagingDatabase,
  hasParts: boolean,
  npis: NpiRuns,
): Promise<Pick<FileCounts, 'codes' | 'npis'>> {
  const distinctCodes = hasParts ? 'SELECT DISTINCT billing_code_type, billing_code FROM used_codes' : usedCodes
  const ofReferences = hasParts
    ? `SELECT npi FROM used_npis UNION ALL ${npisOf('SELECT number FROM used_numbers')}`
    : npisOf(usedNumbers)
  const [codes] = await first.query(`SELECT count(*) AS codes FROM (${distinctCodes})`)
  if (npis.length === 0) {
    const [counts] = await first.query(`SELECT count(DISTINCT npi) AS npis FROM (${ofReferences})`)
    return { codes: Number(codes?.['codes']), npis: Number(counts?.['npis']) }
  }
  for await (const chunk of first.readNumbers(
    `SELECT DISTINCT npi::bigint AS npi FROM (${ofReferences}) ORDER BY npi`,
  )) {
    const column = chunk.bigint(0)
    for (let row = 0; row < chunk.rows; row++) npis.add(Number(column[row]))
  }
  npis.endRun(true)
  return { codes: Number(codes?.['codes']), npis: npis.count() }
}
