import { listAllSearchable } from '../../../core/catalogue/list-catalogue.ts'
import { contentIdColumn } from '../../../schema/columns/column.ts'
import {
  bucketOf,
  contentBucketColumn,
  contentTable,
  currentPart,
  currentTable,
  versionColumn,
} from '../../../schema/columns/warehouse-tables.ts'
import { PrintableError } from '../../../schema/printable-error.ts'
import { type RowGroup, writeRows } from '../../write/parquet/write-rows.ts'
import { publishPart } from '../warehouse/local-workspace.ts'
import type { SwitchDeps } from './plan-changes.ts'

/** Number of versions that are kept: a query may be about to read the files that it has just listed. */
const keptVersions = 10

/** What searches read now could not be written down. Changes of fee schedules that were made are in effect. */
export class CurrentNotWritten extends PrintableError {
  constructor(cause: unknown) {
    const reason = cause instanceof Error ? cause.message : 'unknown'
    super(
      `searches read what is active now, but rates_current may not (${reason}): fee-schedules clean writes it again`,
      { cause },
    )
  }
}

type Deps = Pick<SwitchDeps, 'warehouse' | 'catalogue' | 'contents'>

/**
 * Writes down what searches read now, for the view `rates_current`. The version is taken before the catalogue is read, so
 * a larger one has all that the operations of smaller ones wrote, whichever is written last.
 *
 * @throws CurrentNotWritten
 */
export async function publishCurrent(deps: Deps): Promise<void> {
  try {
    const version = await deps.contents.nextVersion()
    await writeVersion(version, deps)
    // More than one, because an operation that was killed has removed none.
    const old = Array.from({ length: keptVersions }, (_, index) => version - keptVersions - index)
    await deps.warehouse.remove(old.filter((each) => each > 0).map(currentPart))
  } catch (error) {
    throw new CurrentNotWritten(error)
  }
}

async function writeVersion(version: number, { warehouse, catalogue }: Deps): Promise<void> {
  const active = (await listAllSearchable(catalogue)).flatMap(({ payer, plan, state }) =>
    state.status === 'active' ? [{ payer, plan, contentId: state.contentId }] : [],
  )
  // Without a row a file would have no version, and an older one would count.
  const rows = active.length > 0 ? active : [{ payer: null, plan: null, contentId: null }]
  const values = new Map([
    ['payer', rows.map(({ payer }) => payer)],
    ['plan', rows.map(({ plan }) => plan)],
    [contentIdColumn, rows.map(({ contentId }) => contentId)],
    [contentBucketColumn, rows.map(({ contentId }) => contentId && bucketOf(contentTable, contentId))],
  ])
  const file = {
    columns: currentTable.columns,
    rows: rows.length,
    shared: [values],
    integers: [versionColumn.name],
  }
  await publishPart(warehouse, currentPart(version), (workspace) =>
    writeRows({ ...file, path: workspace.fileOf(currentTable) }, (group) => numberRows(group, rows.length, version)),
  )
}

function* numberRows({ ids, integers, size }: RowGroup, rows: number, version: number): Generator<number> {
  integers[0]?.fill(BigInt(version))
  for (let from = 0; from < rows; from += size) {
    const some = Uint32Array.from({ length: Math.min(size, rows - from) }, (_, row) => from + row)
    ids[0]?.set(some)
    yield some.length
  }
}
