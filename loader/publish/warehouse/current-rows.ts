import type { CurrentContent } from '../../../core/switching/ports.ts'
import { contentIdColumn } from '../../../schema/columns/column.ts'
import {
  bucketOf,
  contentBucketColumn,
  contentTable,
  currentTable,
  versionColumn,
} from '../../../schema/columns/warehouse-tables.ts'
import { writeRows } from '../../write/parquet/write-rows.ts'
import { pairRows } from './content-rows.ts'

/** Writes a version of what searches read now to a file of `current_contents`. */
export async function writeCurrentRows(
  path: string,
  version: number,
  current: readonly CurrentContent[],
): Promise<void> {
  // Without a row a file would have no version, and an older one would count.
  const rows = current.length > 0 ? current : [{ payer: null, plan: null, contentId: null }]
  const values = new Map([
    ['payer', rows.map(({ payer }) => payer)],
    ['plan', rows.map(({ plan }) => plan)],
    [contentIdColumn, rows.map(({ contentId }) => contentId)],
    [contentBucketColumn, rows.map(({ contentId }) => contentId && bucketOf(contentTable, contentId))],
  ])
  const file = {
    path,
    columns: currentTable.columns,
    rows: rows.length,
    shared: [values],
    integers: [versionColumn.name],
  }
  await writeRows(file, (group) => {
    group.integers[0]?.fill(BigInt(version))
    return pairRows(group, rows.length)
  })
}
