import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CommandFailed } from '../../client/command-line/command-errors.ts'
import { FolderInUse } from '../../local/data-folder/data-folder.ts'
import type { LocalStorage } from '../../local/storage.ts'
import { isDataFolder, noDataFolder } from './installation.ts'
import { adoptEnvironment } from './local-environment.ts'

/** Default data folder of the local service. */
export const defaultDataFolder = '.data'

/** Contains the local endpoints' secret, so only its owner may read it. */
const accessFile = (dataFolder: string) => join(dataFolder, 'service.json')

/** The organizations of `npm start`, once it has made them; empty in a folder that `load --create` made. */
export const demoFile = (dataFolder: string) => join(dataFolder, 'demo-organizations.json')

/** A running service, as other processes find it. */
export interface RunningService extends LocalStorage {
  /** Address of its API; absent while only a command uses the data folder. */
  readonly baseUrl?: string
}

/** Lets commands in other processes use a data folder that this one serves, until it is disposed of. */
export function shareAccess(dataFolder: string, service: RunningService): Disposable {
  const { environment, tables, warehouseFolder, baseUrl } = service
  const file = accessFile(dataFolder)
  writeFileSync(file, JSON.stringify({ environment, tables, warehouseFolder, baseUrl }), { mode: 0o600 })
  adoptEnvironment(environment)
  return { [Symbol.dispose]: () => rmSync(file, { force: true }) }
}

/**
 * Finds the service that runs on a data folder, and points this process's SDK clients at it.
 *
 * @throws CommandFailed if none does
 */
export function requireRunningService(dataFolder: string): RunningService & { readonly baseUrl: string } {
  const file = accessFile(dataFolder)
  const running: RunningService | undefined = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
  if (running?.baseUrl === undefined)
    throw new CommandFailed(
      `no service runs on the data folder ${dataFolder}: start it with npm start -- --data ${dataFolder}`,
    )
  adoptEnvironment(running.environment)
  return { ...running, baseUrl: running.baseUrl }
}

/**
 * Opens the tables of a data folder: served by the service that is running on it, or by this process until they are
 * disposed of.
 *
 * @param mayCreate true to create a missing folder
 * @throws CommandFailed if the folder is not a data folder; FolderInUse if a service is just being started on it
 */
export async function openLocalStorage(dataFolder: string, mayCreate = false): Promise<LocalStorage & AsyncDisposable> {
  const isMissing = !isDataFolder(dataFolder)
  if (isMissing && !mayCreate) throw noDataFolder(dataFolder)
  // Commands on a deployed stage need not load the emulated AWS.
  const { startStorage } = await import('../../local/storage.ts')
  await using opening = new AsyncDisposableStack()
  const started = await startStorage(dataFolder, () => new Date()).catch((error: unknown) => {
    if (error instanceof FolderInUse && existsSync(accessFile(dataFolder))) return undefined
    throw error
  })
  const storage: LocalStorage = opening.use(started) ?? JSON.parse(readFileSync(accessFile(dataFolder), 'utf8'))
  if (started === undefined) adoptEnvironment(storage.environment)
  else {
    if (isMissing) writeFileSync(demoFile(dataFolder), '[]')
    opening.use(shareAccess(dataFolder, started))
  }
  const opened = opening.move()
  return { ...storage, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}
