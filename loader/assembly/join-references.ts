import { ownColumnsOf } from '../../schema/columns/rates.ts'
import type { RowFilter } from '../filter/row-filter.ts'
import type { Findings } from '../published/findings.ts'
import { maxExamples } from '../published/findings.ts'
import type { StagingDatabase } from '../staging/staging-database.ts'

/** The columns of `provider_groups` that differ between the members of one group. */
export const memberColumns = ['npi', ...ownColumnsOf('tin'), 'definitions.network_name'].join(', ')

/** Makes views of what a part knows: its own, and the references of its file. */
export async function viewDefinitions(database: StagingDatabase): Promise<void> {
  // A filter removes definitions later, but other parts must know that they were there.
  await database.run('CREATE TABLE defined AS SELECT DISTINCT number FROM definitions')
  await viewKnown(database, 'defined', 'number')
  await viewKnown(database, 'variants', 'number, value')
  await viewKnown(database, 'missing', 'number')
}

/** As `viewDefinitions`, after they were merged to groups. */
export async function viewGroups(database: StagingDatabase): Promise<void> {
  await viewKnown(database, 'groups', 'number, key, row_count')
}

async function viewKnown(database: StagingDatabase, table: string, columns: string): Promise<void> {
  const { references } = database
  const shared = references && `UNION ALL SELECT ${columns} FROM ${references}.${table}`
  await database.run(`CREATE TEMP VIEW known_${table} AS SELECT ${columns} FROM ${table} ${shared ?? ''}`)
}

/** A key that is defined more than once is the union of its definitions. */
export async function mergeDefinitions(database: StagingDatabase): Promise<void> {
  await database.run(`
    CREATE TABLE groups AS
    SELECT number, any_value(key) AS key, any_value(provider_group_id) AS provider_group_id, count(*) > 1 AS merged,
      sum(npi_count)::integer AS npi_count, sum(row_count)::bigint AS row_count
    FROM definitions GROUP BY number HAVING sum(row_count) > 0`)
  await database.run(`
    CREATE TABLE merged AS
    SELECT DISTINCT number, ${memberColumns}, keeps_networks
    FROM groups JOIN definitions USING (number) JOIN tins USING (definition) JOIN members USING (tin) WHERE merged`)
  await database.run(`
    UPDATE groups SET npi_count = counts.npis, row_count = counts.entries
    FROM (SELECT number, count(DISTINCT npi) FILTER (npi <> 0) AS npis, count(*) AS entries FROM merged GROUP BY number) counts
    WHERE groups.number = counts.number`)
}

/**
 * Drops the provider rows that a filter leaves out; the counts of NPIs stay those of the file. A group without rows
 * stays defined, so that its references do not dangle.
 */
export async function filterGroups(database: StagingDatabase, { npis, keepsNetworks }: RowFilter): Promise<void> {
  if (npis === undefined && keepsNetworks === undefined) return
  const leftOut = npis === undefined ? 'false' : 'npi NOT IN (SELECT npi FROM kept_npis)'
  await database.run(`DELETE FROM members WHERE ${leftOut}`)
  await database.run('DELETE FROM definitions WHERE NOT keeps_networks')
  await database.run(`DELETE FROM merged WHERE NOT keeps_networks OR ${leftOut}`)
  await database.run(`
    UPDATE groups SET row_count = coalesce(kept.entries, 0)
    FROM groups AS each LEFT JOIN (
      SELECT number, count(*) AS entries
      FROM (
        SELECT number FROM members JOIN tins USING (tin) JOIN definitions USING (definition) JOIN groups USING (number)
        WHERE NOT merged
        UNION ALL SELECT number FROM merged
      ) GROUP BY number
    ) AS kept USING (number)
    WHERE groups.number = each.number`)
}

/**
 * Gives references that no definition has in their own characters the one definition of the same numeric value. An id
 * that is defined without providers is defined all the same.
 */
export async function matchNumbers(database: StagingDatabase, findings: Findings): Promise<void> {
  const [variants] = await database.query('SELECT count(*) AS count FROM known_variants')
  if (Number(variants?.['count']) === 0) return
  await database.run(`
    CREATE TABLE matches AS
    WITH valued AS (SELECT DISTINCT number, value FROM known_variants),
      targetable AS (SELECT number FROM known_defined UNION SELECT number FROM known_missing),
      targets AS (
        SELECT coalesce(value, number) AS value, any_value(number) AS target
        FROM targetable LEFT JOIN valued USING (number) GROUP BY 1 HAVING count(*) = 1)
    SELECT number, target
    FROM (SELECT DISTINCT number FROM refs ANTI JOIN known_defined USING (number) ANTI JOIN known_missing USING (number))
    LEFT JOIN valued USING (number) JOIN targets ON targets.value = coalesce(valued.value, number)`)
  await database.run(`
    CREATE TABLE matched AS
    SELECT rate, place, target AS number, priced,
      row_number() OVER (PARTITION BY rate, target ORDER BY place) > 1
        OR EXISTS (SELECT 1 FROM refs AS others WHERE others.rate = refs.rate AND others.number = target) AS repeated
    FROM refs JOIN matches USING (number)`)
  for (const rule of ['numeric-reference', 'repeated-reference'] as const) {
    const filter = rule === 'numeric-reference' ? 'true' : 'repeated'
    findings.add({ rule, ...(await tallyReferences(database, 'matched', filter)) })
  }
  await database.run('DELETE FROM refs WHERE number IN (SELECT number FROM matches)')
  await database.run('INSERT INTO refs SELECT rate, place, number, priced FROM matched WHERE NOT repeated')
}

/** Counts the groups that are defined again, and the references without a group. */
export async function countReferences(database: StagingDatabase, findings: Findings): Promise<void> {
  const repeated = await database.query(`
    SELECT count(*) AS count, list(place ORDER BY place)[:${maxExamples}] AS examples
    FROM (SELECT number, max(place) AS place FROM definitions GROUP BY number HAVING min(place) < max(place))`)
  findings.add({ rule: 'repeated-definition', ...readTally(repeated, (place) => `provider_references[${place}]`) })
  await database.run(`
    CREATE TABLE dangling AS
    SELECT rate, refs.place, refs.number IN (SELECT number FROM known_missing) AS missing
    FROM refs ANTI JOIN known_groups USING (number)`)
  for (const rule of ['missing-reference-file', 'dangling-reference'] as const) {
    const filter = rule === 'dangling-reference' ? 'NOT missing' : 'missing'
    findings.add({ rule, ...(await tallyReferences(database, 'dangling', filter)) })
  }
}

/** Counts references in a table of `rate` and `place`, with the paths of the first. */
async function tallyReferences(database: StagingDatabase, table: string, filter: string) {
  // Most files have none, and payers publish thousands of small ones: the query for examples takes milliseconds to plan.
  const [found] = await database.query(`SELECT count(*) AS count FROM ${table} WHERE ${filter}`)
  if (Number(found?.['count']) === 0) return { count: 0, examples: [] }
  const rows = await database.query(`
    WITH first AS (SELECT * FROM ${table} WHERE ${filter} ORDER BY rate, place LIMIT ${maxExamples})
    SELECT (SELECT count(*) FROM ${table} WHERE ${filter}) AS count,
      (SELECT list(format('in_network[{}].negotiated_rates[{}].provider_references[{}]', item, rates.place, first.place)
        ORDER BY rate, first.place) FROM first JOIN rates USING (rate)) AS examples`)
  return readTally(rows, String)
}

function readTally(rows: readonly Readonly<Record<string, unknown>>[], pathOf: (example: unknown) => string) {
  const [row] = rows
  const examples = row?.['examples']
  return { count: Number(row?.['count']), examples: Array.isArray(examples) ? examples.map(pathOf) : [] }
}
