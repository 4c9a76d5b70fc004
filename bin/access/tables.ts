import { UsageError } from '../../client/command-line/command-errors.ts'
import type { OfTables } from '../../schema/tables.ts'
import type { Installation } from '../command/installation.ts'
import { defaultDataFolder, openLocalStorage } from '../command/local-access.ts'
import { type Outputs, readOutputs, readStageName, readTables } from '../stacks/deployment.ts'

/** The tables of a service, where it is, and the outputs of its stack if it is deployed. */
export interface OpenedTables extends AsyncDisposable {
  readonly tables: OfTables<string>
  readonly installation: Installation
  readonly outputs?: Outputs
}

/**
 * Opens the tables of a deployed stage or of a data folder, by default that of the local service.
 *
 * @throws UsageError if both are named; CommandFailed if there is no such stage or folder
 */
export async function openTables({
  stage,
  data,
}: {
  readonly stage?: string | undefined
  readonly data?: string | undefined
}): Promise<OpenedTables> {
  if (stage !== undefined && data !== undefined) throw new UsageError('--data and --stage exclude one another')
  if (stage === undefined) {
    const dataFolder = data ?? defaultDataFolder
    return { ...(await openLocalStorage(dataFolder)), installation: { dataFolder } }
  }
  const outputs = await readOutputs(readStageName(stage))
  return { tables: readTables(outputs), installation: { stage }, outputs, [Symbol.asyncDispose]: async () => undefined }
}
