import { warehouseTables } from '../../schema/columns/warehouse-tables.ts'
import { addressesIn, areListed } from './place-conditions.ts'
import type { FileLists } from './ports.ts'
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
