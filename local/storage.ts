import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { claimDataFolder, refuseOutdated } from './data-folder/data-folder.ts'
import { startOnKeptPort } from './data-folder/kept-port.ts'
import { createTables, nameTables, startDynamo } from './dynamodb/endpoint.ts'
import { serviceTables } from './dynamodb/service-tables.ts'
import { startS3 } from './s3/endpoint.ts'
import type { LocalService } from './service.ts'
import { openCredentialBook } from './signing/credentials.ts'
import { localRegion } from './stack-template.ts'

/** What a data folder keeps: tables, objects and the warehouse. */
export type LocalStorage = Pick<LocalService, 'environment' | 'tables' | 'warehouseFolder'>

/**
 * Serves the tables and objects of a data folder without the service, for commands that need no more: nothing is
 * synthesised or bundled.
 *
 * @throws as `startService`, but for PortInUse
 */
export async function startStorage(dataFolder: string, now: () => Date): Promise<LocalStorage & AsyncDisposable> {
  refuseOutdated(dataFolder)
  const running = new AsyncDisposableStack()
  running.defer(claimDataFolder(dataFolder))
  try {
    const warehouseFolder = join(dataFolder, 'warehouse')
    mkdirSync(warehouseFolder, { recursive: true })
    const dynamo = await startDynamo(join(dataFolder, 'dynamodb'))
    running.defer(dynamo.close)
    await createTables(dynamo.url, serviceTables)
    const credentials = openCredentialBook(dataFolder)
    const s3 = await startOnKeptPort(join(dataFolder, 's3.port'), (port) =>
      startS3({ folder: join(dataFolder, 's3'), credentials, now, port }),
    )
    running.defer(s3.close)
    const environment = {
      AWS_REGION: localRegion,
      AWS_ACCESS_KEY_ID: credentials.own.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.own.secretAccessKey,
      AWS_ENDPOINT_URL_DYNAMODB: dynamo.url,
      AWS_ENDPOINT_URL_S3: s3.url,
    }
    return {
      environment,
      tables: nameTables(serviceTables),
      warehouseFolder,
      [Symbol.asyncDispose]: () => running.disposeAsync(),
    }
  } catch (error) {
    await running.disposeAsync()
    throw error
  }
}
