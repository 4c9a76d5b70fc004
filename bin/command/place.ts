import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { CommandFailed } from './errors.ts'

/** Where a command reads or writes. */
export type Place =
  | { readonly dataFolder: string }
  | { readonly stage: string; readonly dataFolder?: string }
  | { readonly accessTable: string }
  | { readonly database: string }

/** A place in words: `the data folder /home/me/rates/.data`, `the stage prod`. */
export function describePlace(place: Place): string {
  if ('accessTable' in place) return `the table ${place.accessTable}`
  if ('database' in place) return `the database ${place.database}`
  const folder = place.dataFolder === undefined ? undefined : `the data folder ${resolve(place.dataFolder)}`
  if (!('stage' in place)) return folder ?? ''
  return [`the stage ${place.stage}`, ...(folder === undefined ? [] : [folder])].join(', ')
}

/** A place as facts of a command's JSON. */
export function placeFacts(place: Place): Readonly<Record<string, string>> {
  const { dataFolder, ...rest } = { dataFolder: undefined, ...place }
  return { ...rest, ...(dataFolder !== undefined && { dataFolder: resolve(dataFolder) }) }
}

/**
 * Refuses a folder that no local service has started on: a mistyped name would be taken for an empty service.
 *
 * @throws CommandFailed
 */
export function requireDataFolder(folder: string): void {
  if (isFolder(join(folder, 'dynamodb'))) return
  const fault = existsSync(folder) ? 'is no data folder of the local service' : 'does not exist'
  throw new CommandFailed(
    `the data folder ${resolve(folder)} ${fault}: name another with --data, or make it with npm start -- --data ${folder}`,
  )
}

/**
 * Refuses a data folder without a warehouse.
 *
 * @returns the warehouse's folder
 * @throws CommandFailed
 */
export function requireWarehouse(dataFolder: string): string {
  const warehouse = join(dataFolder, 'warehouse')
  if (isFolder(warehouse)) return warehouse
  throw new CommandFailed(`there is no folder ${resolve(warehouse)}: name the folder that has it with --data`)
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
