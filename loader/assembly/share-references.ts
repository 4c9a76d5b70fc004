import { chunk } from '../../core/chunk.ts'
import { toLiteral } from '../staging/staged-value.ts'
import type { StagingDatabase } from '../staging/staging-database.ts'
import { mainDatabase } from '../staging/staging-database.ts'

/** What the parts of a file must know of its references: see `viewDefinitions` and `viewGroups`. */
const sharedTables: Readonly<Record<string, string>> = {
  defined: 'number',
  variants: 'number, value',
  missing: 'number',
  groups: 'number, key, row_count',
}

/**
 * Writes the references of a file to a database that other processes can attach, after they were joined.
 *
 * @param leftOut the groups that a filter leaves out
 */
export async function shareReferences(
  database: StagingDatabase,
  path: string,
  leftOut: ReadonlySet<bigint>,
): Promise<void> {
  await database.run(`ATTACH ${toLiteral(path)} AS sharing`)
  for (const [table, columns] of Object.entries(sharedTables))
    await database.run(`CREATE TABLE sharing.${table} AS SELECT ${columns} FROM ${mainDatabase}.${table}`)
  await database.run('CREATE TABLE sharing.left_out_groups (number bigint)')
  for (const numbers of chunk([...leftOut], numbersPerStatement))
    await database.run(`INSERT INTO sharing.left_out_groups SELECT unnest([${numbers.join(', ')}]::bigint[])`)
  await database.run('DETACH sharing')
}

/** Numbers of groups in one statement. */
const numbersPerStatement = 10_000

/** The groups of `shareReferences` that a filter leaves out. */
export async function readLeftOut(database: StagingDatabase, path: string): Promise<readonly bigint[]> {
  await database.attachReferences(path)
  const [numbers = []] = await database.readColumns(
    `SELECT number::varchar FROM ${database.references}.left_out_groups`,
  )
  return numbers.map((number) => BigInt(String(number)))
}
