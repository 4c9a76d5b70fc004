import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { OfTables } from '../schema/tables.ts'
import { FolderInUse, refuseOutdated } from './data-folder/data-folder.ts'
import { startOnKeptPort } from './data-folder/kept-port.ts'
import { makeFolder, requireStorage } from './data-folder/storage-fault.ts'
import { createTables, startDynamo } from './dynamodb/endpoint.ts'
import { tableNames } from './dynamodb/service-tables.ts'
import type { RunningServer } from './http-server.ts'
import { type S3Options, startS3 } from './s3/endpoint.ts'
import { type CredentialBook, openCredentialBook } from './signing/credentials.ts'
import { localRegion } from './stack-template.ts'

/** SDK settings that point to the local endpoints. */
export type LocalEnvironment = Readonly<Record<string, string>>

/** The storage of a data folder: tables, objects and the warehouse. */
export interface LocalStorage {
  readonly environment: LocalEnvironment
  /** Physical names of the tables. */
  readonly tables: OfTables<string>
  readonly warehouseFolder: string
}

/** The same before its objects are served: the environment has no endpoint of S3. */
export type TableStorage = LocalStorage

/**
 * Serves the tables and objects of a data folder without the service, for commands that need no more: nothing is
 * synthesised or bundled.
 *
 * @throws as `claimTables` and `createTables`
 */
export async function startStorage(dataFolder: string, now: () => Date): Promise<LocalStorage & AsyncDisposable> {
  await using starting = new AsyncDisposableStack()
  const { warehouseFolder, dynamo } = await claimTables(dataFolder)
  starting.defer(dynamo.close)
  await createTables(dynamo.url)
  const { credentials, s3 } = await serveObjects(dataFolder, now)
  starting.defer(s3.close)
  const running = starting.move()
  return {
    environment: describeStorage(credentials, dynamo, s3),
    tables: tableNames,
    warehouseFolder,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** Room for the stack's templates and bundles, beside those from the previous start. */
const bytesToStart = 8_000_000

/**
 * Serves the tables of a data folder, which LevelDB locks until they are closed or the process ends: two services on the
 * same tables would corrupt them.
 *
 * @throws FolderInUse; PrintableError if an earlier version stored the rates; StorageUnusable if there is not enough room to start
 */
export async function claimTables(dataFolder: string) {
  refuseOutdated(dataFolder)
  makeFolder(dataFolder)
  requireStorage(dataFolder, bytesToStart)
  const warehouseFolder = join(dataFolder, 'warehouse')
  mkdirSync(warehouseFolder, { recursive: true })
  const dynamo = await startDynamo(join(dataFolder, 'dynamodb')).catch((error: unknown) => {
    throw isLocked(error) ? new FolderInUse(dataFolder) : error
  })
  return { warehouseFolder, dynamo }
}

/** Source: abstract-level, README, "Errors"; classic-level, README, `db.open`. */
const isLocked = (error: unknown) =>
  error instanceof Error && error.cause instanceof Error && 'code' in error.cause && error.cause.code === 'LEVEL_LOCKED'

/** Rules of the template about its buckets. */
type ObjectRules = Pick<S3Options, 'corsRules' | 'listers'>

/** Serves the objects of a data folder, on the port of the last time: URLs handed out then still work. */
export async function serveObjects(dataFolder: string, now: () => Date, rules: ObjectRules = {}) {
  const credentials = openCredentialBook(dataFolder)
  const s3 = await startOnKeptPort(join(dataFolder, 's3.port'), (port) =>
    startS3({ folder: join(dataFolder, 's3'), credentials, now, port, ...rules }),
  )
  return { credentials, s3 }
}

/** SDK settings that point to the tables and objects. */
export const describeStorage = (
  credentials: CredentialBook,
  dynamo: Pick<RunningServer, 'url'>,
  s3: Pick<RunningServer, 'url'>,
): LocalEnvironment => ({ ...pointToTables(credentials, dynamo), AWS_ENDPOINT_URL_S3: s3.url })

/** The tables and the warehouse of a data folder whose tables are served. */
export const describeTables = (
  dataFolder: string,
  dynamo: Pick<RunningServer, 'url'>,
  warehouseFolder: string,
): TableStorage => ({
  environment: pointToTables(openCredentialBook(dataFolder), dynamo),
  tables: tableNames,
  warehouseFolder,
})

const pointToTables = ({ own }: CredentialBook, dynamo: Pick<RunningServer, 'url'>): LocalEnvironment => ({
  AWS_REGION: localRegion,
  AWS_ACCESS_KEY_ID: own.accessKeyId,
  AWS_SECRET_ACCESS_KEY: own.secretAccessKey,
  AWS_ENDPOINT_URL_DYNAMODB: dynamo.url,
})
