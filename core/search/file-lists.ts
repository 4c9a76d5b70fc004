import { searchTables } from '../../schema/columns/search-tables.ts'
import { warehouseTables } from '../../schema/columns/warehouse-tables.ts'
import { addSeconds } from '../time.ts'
import { addressesIn, areListed } from './file-conditions.ts'
import type { FileLists, ListFaults, QueryFault } from './ports.ts'
import type { ContentScope } from './select-loaded-rates.ts'
import { distinct } from './sql.ts'

/**
 * Writes the lists of a search's files, one for each table, and returns the scope that reads them. Nobody removes a
 * list: the bucket's lifecycle does. Idempotent, because the contents of a job never change.
 *
 * @returns the same scope if its sources are not known because there are too many
 */
export async function listFiles(lists: FileLists, searchId: string, scope: ContentScope): Promise<ContentScope> {
  const { files } = scope
  if (files === undefined || areListed(files) || files.sources.length === 0) return scope
  const contentIds = distinct(scope.contents).sort()
  await Promise.all(
    warehouseTables.map((table) => lists.write({ table, searchId, addresses: addressesIn(table, files, contentIds) })),
  )
  return { ...scope, files: { searchId } }
}

/**
 * Time for which searches do without lists after a search that succeeded only with folders, in seconds. Then one search
 * tries lists again.
 */
const listFaultSeconds = 86_400

/**
 * True if searches created at this time do without lists. It depends only on the time of the job, so that a repeated
 * step writes the same statement.
 */
export async function areListsBroken(listFaults: ListFaults, createdAt: Date): Promise<boolean> {
  const foundAt = await listFaults.read()
  return foundAt !== undefined && foundAt <= createdAt && createdAt < addSeconds(foundAt, listFaultSeconds)
}

/** Notes that a search succeeded with folders, but not with lists. Idempotent. */
export async function noteListFault(listFaults: ListFaults, at: Date): Promise<void> {
  await listFaults.note(at, addSeconds(at, -listFaultSeconds))
}

/**
 * True if a query over lists failed because Athena cannot read lists: it opened no file, or its error is about a search
 * table. An error that names a data file is not: folders would hide that this file is missing or damaged.
 */
export function isListFault(fault: QueryFault, reason: string): boolean {
  if (fault === 'nothing-read') return true
  // A transient fault gets here after its last attempt.
  if (fault !== 'permanent' && fault !== 'transient') return false
  return searchTables.some(({ name }) => reason.includes(name)) && !reason.includes('.parquet')
}
