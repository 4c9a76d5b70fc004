import { currentUnit } from '../../schema/columns/warehouse-tables.ts'
import { PrintableError } from '../../schema/printable-error.ts'
import { listAllSearchable } from '../catalogue/list-catalogue.ts'
import type { SwitchDeps } from './plan-changes.ts'

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
export async function publishCurrent({
  warehouse,
  catalogue,
  contents,
}: Pick<SwitchDeps, 'warehouse' | 'catalogue' | 'contents'>): Promise<void> {
  try {
    const version = await contents.nextVersion()
    const entries = await listAllSearchable(catalogue)
    const current = entries.flatMap(({ payer, plan, state }) =>
      state.status === 'active' ? [{ payer, plan, contentId: state.contentId }] : [],
    )
    await warehouse.writeCurrent(version, current)
    // More than one, because an operation that was killed has removed none.
    const old = Array.from({ length: keptVersions }, (_, index) => version - keptVersions - index)
    await warehouse.remove(old.filter((each) => each > 0).map(currentUnit))
  } catch (error) {
    throw new CurrentNotWritten(error)
  }
}
