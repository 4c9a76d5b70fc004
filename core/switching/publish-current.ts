import { currentUnit } from '../../schema/columns/warehouse-tables.ts'
import { PrintableError } from '../../schema/printable-error.ts'
import { listAllSearchable } from '../catalogue/list-catalogue.ts'
import type { WriteOutcome } from '../write-outcome.ts'
import type { SwitchDeps } from './plan-changes.ts'

type PublishCurrent = Pick<SwitchDeps, 'warehouse' | 'catalogue' | 'contents'>

/** Number of versions that are kept: a query may be about to read the files that it has just listed. */
const keptVersions = 10

/** The list of active contents could not be written. Changes of fee schedules that were made are in effect. */
export class CurrentNotWritten extends PrintableError {
  constructor(cause: unknown) {
    const reason = cause instanceof Error ? cause.message : 'unknown'
    super(
      `searches read what is active now, but rates_current may not (${reason}): fee-schedules clean writes it again`,
      { cause },
    )
  }
}

/**
 * Writes the list of active contents, for the view `rates_current`. The version is taken before the catalogue is read,
 * so a larger version has all changes of the operations with smaller versions, whichever is written last.
 *
 * @throws CurrentNotWritten
 */
export async function publishCurrent(deps: PublishCurrent): Promise<void> {
  try {
    let version: number
    do version = await deps.contents.nextVersion()
    while ((await writeVersion(version, deps)) === 'superseded')
    // More than one, because an operation that was killed has removed none.
    const old = Array.from({ length: keptVersions }, (_, index) => version - keptVersions - index)
    await deps.warehouse.remove(old.filter((each) => each > 0).map(currentUnit))
  } catch (error) {
    throw new CurrentNotWritten(error)
  }
}

async function writeVersion(version: number, { warehouse, catalogue }: PublishCurrent): Promise<WriteOutcome> {
  const entries = await listAllSearchable(catalogue)
  const current = entries.flatMap(({ payer, plan, state }) =>
    state.status === 'active' ? [{ payer, plan, contentId: state.contentId }] : [],
  )
  return warehouse.writeCurrent(version, current)
}
