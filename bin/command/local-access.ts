import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDynamoCatalogue } from '../../adapters/dynamodb/catalogue/dynamo-catalogue.ts'
import { createDynamoContents } from '../../adapters/dynamodb/catalogue/dynamo-contents.ts'
import { createDynamoLoadRecords } from '../../adapters/dynamodb/catalogue/dynamo-load-records.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoLoadWork } from '../../adapters/dynamodb/loads/dynamo-load-work.ts'
import { isInUse } from '../../local/data-folder/data-folder.ts'
import type { LocalService } from '../../local/service.ts'
import { requireDataFolder } from './place.ts'

/** Default data folder of the local service. */
export const defaultDataFolder = '.data'

/** What a command needs to use a local service, in this process or in another. */
export type LocalAccess = Pick<LocalService, 'baseUrl' | 'environment' | 'tables' | 'warehouseFolder'>

/** Contains the local endpoints' secret, so only its owner may read it. */
export const accessFile = (dataFolder: string) => join(dataFolder, 'service.json')

/**
 * Runs `use` against the service of a data folder: the one that is running, or one that is started for this call.
 *
 * @param mayCreate whether to create a missing folder
 * @throws CommandFailed if the folder is not a data folder; FolderInUse if a service is just being started on it
 */
export async function withLocalService(
  dataFolder: string,
  use: (service: LocalAccess) => Promise<void>,
  mayCreate = false,
): Promise<void> {
  if (!mayCreate) requireDataFolder(dataFolder)
  if (existsSync(accessFile(dataFolder)) && isInUse(dataFolder)) {
    const running: LocalAccess = JSON.parse(readFileSync(accessFile(dataFolder), 'utf8'))
    Object.assign(process.env, running.environment)
    return use(running)
  }
  // Most commands find a running service, or work on a deployed stage: they need not load the emulated AWS.
  const { startLocalService } = await import('./local-service.ts')
  const service = await startLocalService(dataFolder, 0)
  try {
    await use(service)
  } finally {
    await service.close()
  }
}

/** Connects to the catalogue of a local service and to the contents its entries point to. */
export function connectCatalogue(service: LocalAccess) {
  const dynamo = connectDynamo()
  return {
    catalogue: createDynamoCatalogue(dynamo, tableName(service, 'FeeSchedules')),
    contents: createDynamoContents(dynamo, tableName(service, 'Contents')),
    records: createDynamoLoadRecords(dynamo, tableName(service, 'Contents')),
    work: createDynamoLoadWork(dynamo, tableName(service, 'Contents')),
  }
}

/** The physical name of one of the service's tables. */
export function tableName(service: LocalAccess, construct: 'Access' | 'Contents' | 'FeeSchedules' | 'Jobs'): string {
  const name = service.tables[construct]
  if (name === undefined) throw new TypeError(`the stack has no table ${construct}`)
  return name
}
