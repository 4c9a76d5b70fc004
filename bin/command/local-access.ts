import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FolderInUse } from '../../local/data-folder/data-folder.ts'
import type { LocalStorage } from '../../local/storage.ts'
import { isDataFolder, noDataFolder } from './place.ts'

/** Default data folder of the local service. */
export const defaultDataFolder = '.data'

/** Contains the local endpoints' secret, so only its owner may read it. */
const accessFile = (dataFolder: string) => join(dataFolder, 'service.json')

/** The organizations of `npm start`, once it has made them; empty in a folder that `load --create` made. */
export const demoFile = (dataFolder: string) => join(dataFolder, 'demo-organizations.json')

/** Lets commands in other processes use a data folder that this one serves, until it is disposed of. */
export function shareAccess(dataFolder: string, { environment, tables, warehouseFolder }: LocalStorage): Disposable {
  const file = accessFile(dataFolder)
  writeFileSync(file, JSON.stringify({ environment, tables, warehouseFolder }), { mode: 0o600 })
  Object.assign(process.env, environment)
  return { [Symbol.dispose]: () => rmSync(file, { force: true }) }
}

/**
 * Runs `use` on the tables of a data folder: served by the service that is running on it, or for this call only.
 *
 * @param mayCreate true to create a missing folder
 * @throws CommandFailed if the folder is not a data folder; FolderInUse if a service is just being started on it
 */
export async function withLocalStorage(
  dataFolder: string,
  use: (storage: LocalStorage) => Promise<void>,
  mayCreate = false,
): Promise<void> {
  const isMissing = !isDataFolder(dataFolder)
  if (isMissing && !mayCreate) throw noDataFolder(dataFolder)
  // Commands on a deployed stage need not load the emulated AWS.
  const { startStorage } = await import('../../local/storage.ts')
  const started = await startStorage(dataFolder, () => new Date()).catch((error: unknown) => {
    if (error instanceof FolderInUse && existsSync(accessFile(dataFolder))) return undefined
    throw error
  })
  if (started === undefined) {
    const running: LocalStorage = JSON.parse(readFileSync(accessFile(dataFolder), 'utf8'))
    Object.assign(process.env, running.environment)
    return use(running)
  }
  await using storage = started
  if (isMissing) writeFileSync(demoFile(dataFolder), '[]')
  using _ = shareAccess(dataFolder, storage)
  await use(storage)
}
