import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { bucketColumn } from '../../schema/columns/warehouse-tables.ts'
import { PrintableError } from '../../schema/printable-error.ts'

/**
 * Refuses a data folder with rates that an earlier version stored, because searches would find none of them.
 *
 * @throws PrintableError
 */
export function refuseOutdated(folder: string): void {
  const warehouse = join(folder, 'warehouse')
  const ratesFolder = join(warehouse, 'negotiated_rates')
  const names = existsSync(ratesFolder) ? readdirSync(ratesFolder) : []
  if (names.some((name) => !name.startsWith(`${bucketColumn.name}=`)))
    throw new PrintableError(
      `an earlier version stored the rates in ${warehouse}: remove that folder and load them again, or use --data`,
    )
}

/** Another process on this machine uses the same data folder. */
export class FolderInUse extends PrintableError {
  constructor(folder: string) {
    super(`the data folder ${folder} is in use by another process; stop it, or choose another folder with --data`)
  }
}
