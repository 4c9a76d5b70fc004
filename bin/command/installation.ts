import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { CommandFailed } from '../../client/command-line/command-errors.ts'

/** An installation of the service, or the part of one, that a command reads from or writes to. */
export type Installation =
  | { readonly dataFolder: string }
  | { readonly stage: string; readonly dataFolder?: string }
  | { readonly accessTable: string }
  | { readonly database: string }

/** Describes an installation: `the data folder /home/me/rates/.data`, `the stage prod`. */
export function describeInstallation(installation: Installation): string {
  if ('accessTable' in installation) return `the table ${installation.accessTable}`
  if ('database' in installation) return `the database ${installation.database}`
  if (!('stage' in installation)) return describeFolder(installation.dataFolder)
  const folder = installation.dataFolder === undefined ? [] : [describeFolder(installation.dataFolder)]
  return [`the stage ${installation.stage}`, ...folder].join(', ')
}

const describeFolder = (dataFolder: string) => `the data folder ${resolve(dataFolder)}`

/** An installation as fields of a command's JSON. */
export function installationFacts(installation: Installation): Readonly<Record<string, string>> {
  const { dataFolder, ...rest } = { dataFolder: undefined, ...installation }
  return { ...rest, ...(dataFolder !== undefined && { dataFolder: resolve(dataFolder) }) }
}

/** Returns true if a folder has tables: without this check, a mistyped name would look like an empty data folder. */
export const isDataFolder = (folder: string): boolean => isFolder(join(folder, 'dynamodb'))

export function noDataFolder(folder: string): CommandFailed {
  const fault = existsSync(folder) ? 'is not a data folder of the local service' : 'does not exist'
  return new CommandFailed(
    `the data folder ${resolve(folder)} ${fault}: name another with --data, or create it with npm start -- --data ${folder} or, without samples, npm run load -- --create`,
  )
}

/**
 * Refuses a data folder without a warehouse.
 *
 * @returns the path of the warehouse folder
 * @throws CommandFailed
 */
export function requireWarehouse(dataFolder: string): string {
  const warehouse = join(dataFolder, 'warehouse')
  if (isFolder(warehouse)) return warehouse
  throw new CommandFailed(
    `the folder ${resolve(warehouse)} does not exist: name the data folder that contains it with --data`,
  )
}

/**
 * Returns the bucket of a location in S3.
 *
 * @param location `s3://bucket/prefix/`
 */
export function bucketOf(location: string): string {
  const [, bucket] = /^s3:\/\/([^/]+)/.exec(location) ?? []
  if (bucket === undefined) throw new TypeError(`"${location}" is not a location in S3`)
  return bucket
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
