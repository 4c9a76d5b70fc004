import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { devNull } from 'node:os'
import { join } from 'node:path'
import type { OfTables } from '../schema/tables.ts'
import { FolderInUse, refuseOutdated } from './data-folder/data-folder.ts'
import { makeFolder, requireStorage } from './data-folder/storage-fault.ts'
import { openTables } from './dynamodb/dynalite-tables.ts'
import { dynamodbEndpoint } from './dynamodb/endpoint.ts'
import { tableNames } from './dynamodb/service-tables.ts'
import type { LocalEnvironment, StartContext } from './endpoint.ts'
import { s3Endpoint } from './s3/endpoint.ts'
import { type CredentialBook, openCredentialBook } from './signing/credentials.ts'
import { localRegion } from './stack-template.ts'
import { startEndpoints } from './start-endpoints.ts'

/** The storage of a data folder: tables, objects and the warehouse. */
export interface LocalStorage {
  readonly environment: LocalEnvironment
  /** Physical names of the tables. */
  readonly tables: OfTables<string>
  readonly warehouseFolder: string
}

/**
 * Serves the tables and objects of a data folder without the service, for commands that need no more: nothing is
 * synthesised or bundled.
 *
 * @throws as `lockFolder`, and `createTables` of DynamoDB
 */
export async function startStorage(dataFolder: string, now: () => Date): Promise<LocalStorage & AsyncDisposable> {
  await using starting = new AsyncDisposableStack()
  const { warehouseFolder, tables, credentials } = starting.use(await lockFolder(dataFolder))
  const context: StartContext = {
    dataFolder,
    warehouseFolder,
    credentials,
    now,
    newId: randomUUID,
    environment: describeUser(credentials.localUser),
    observe: async (_, url) => url,
  }
  const { environment } = await startEndpoints([dynamodbEndpoint(tables), s3Endpoint([])], context, starting)
  const running = starting.move()
  return { environment, tables: tableNames, warehouseFolder, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

/** Room for the stack's templates and bundles, beside those from the previous start. */
const bytesToStart = 8_000_000

/** A data folder that this process alone uses until it is disposed of. */
export type LockedFolder = Awaited<ReturnType<typeof lockFolder>>

/**
 * Opens a data folder for this process alone: LevelDB locks its tables until they are closed or the process ends. Two
 * services on the same tables would corrupt them.
 *
 * @throws FolderInUse; PrintableError if an earlier version stored the rates; StorageUnusable if there is not enough
 *   room to start
 */
export async function lockFolder(dataFolder: string) {
  refuseOutdated(dataFolder)
  makeFolder(dataFolder)
  requireStorage(dataFolder, bytesToStart)
  const warehouseFolder = join(dataFolder, 'warehouse')
  mkdirSync(warehouseFolder, { recursive: true })
  const tables = await openTables(join(dataFolder, 'dynamodb')).catch((error: unknown) => {
    throw isLocked(error) ? new FolderInUse(dataFolder) : error
  })
  try {
    return { warehouseFolder, tables, credentials: openCredentialBook(dataFolder), [Symbol.asyncDispose]: tables.close }
  } catch (error) {
    await tables.close()
    throw error
  }
}

/** Source: abstract-level, README, "Errors"; classic-level, README, `db.open`. */
const isLocked = (error: unknown) =>
  error instanceof Error && error.cause instanceof Error && 'code' in error.cause && error.cause.code === 'LEVEL_LOCKED'

/** Returns the SDK settings of a user of this machine: region, keys, and no file or metadata service beside them. */
export const describeUser = ({
  accessKeyId,
  secretAccessKey,
}: Pick<CredentialBook['localUser'], 'accessKeyId' | 'secretAccessKey'>): LocalEnvironment => ({
  AWS_REGION: localRegion,
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
  // The SDK reads retries, endpoints and more from the user's files, even if it needs no credentials of them.
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
  AWS_EC2_METADATA_DISABLED: 'true',
})
