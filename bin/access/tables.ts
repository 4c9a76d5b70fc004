import { UsageError } from '../../client/command-line/command-errors.ts'
import type { OfTables } from '../../schema/tables.ts'
import { defaultDataFolder, withLocalStorage } from '../command/local-access.ts'
import type { Place } from '../command/place.ts'
import { type Outputs, readOutputs, readStageName, readTables } from '../stacks/deployment.ts'

/** The tables of a service, where it is, and the outputs of its stack if it is deployed. */
export interface OpenedTables {
  readonly tables: OfTables<string>
  readonly place: Place
  readonly outputs?: Outputs
}

/**
 * Runs `use` on the tables of a deployed stage or of a data folder, by default that of the local service.
 *
 * @throws UsageError if both are named; CommandFailed if there is no such stage or folder
 */
export async function withTables(
  { stage, data }: { readonly stage?: string | undefined; readonly data?: string | undefined },
  use: (opened: OpenedTables) => Promise<void>,
): Promise<void> {
  if (stage !== undefined && data !== undefined) throw new UsageError('--data and --stage exclude one another')
  if (stage === undefined) {
    const dataFolder = data ?? defaultDataFolder
    return withLocalStorage(dataFolder, ({ tables }) => use({ tables, place: { dataFolder } }))
  }
  const outputs = await readOutputs(readStageName(stage))
  return use({ tables: readTables(outputs), place: { stage }, outputs })
}
