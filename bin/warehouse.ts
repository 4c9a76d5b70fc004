import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createAthenaQueries } from '../adapters/athena-queries.ts'
import { createDynamoCatalogue } from '../adapters/dynamo-catalogue.ts'
import { connectDynamo } from '../adapters/dynamo-client.ts'
import { createS3WarehouseFiles } from '../adapters/s3-warehouse-files.ts'
import type { CatalogueAdmin } from '../core/ports.ts'
import type { Stage } from '../lib/stage.ts'
import { createPartitions } from '../loader/register-partitions.ts'
import { openWarehouseBucket } from '../loader/warehouse-bucket.ts'
import type { WarehouseFolder } from '../loader/warehouse-folder.ts'
import { openWarehouseFolder } from '../loader/warehouse-folder.ts'
import { makeFolder } from '../local/storage-fault.ts'
import { CommandFailed } from './command/errors.ts'
import type { Answer } from './command/output.ts'
import { jsonOption, printAnswer } from './command/output.ts'
import type { Place } from './command/place.ts'
import { requireWarehouse } from './command/place.ts'
import { findStage, readOutputs, readStageName } from './deployment.ts'
import type { LocalAccess } from './local-service.ts'
import { withLocalService } from './local-service.ts'
import { tableName } from './seed.ts'

/** What loading changes: the files that searches read, and the catalogue that says which of them are active. */
export interface OpenedWarehouse {
  readonly warehouse: WarehouseFolder
  readonly catalogue: CatalogueAdmin
}

/** Which warehouse a command works on. */
export interface WarehouseChoice {
  /** The local service's data folder; for a deployed stage, the folder for its files on this machine. */
  readonly data: string
  /** A deployed stage; absent for the local service. */
  readonly stage?: string | undefined
  /** Whether to create a data folder that does not exist. @default false */
  readonly create?: boolean | undefined
  /** Whether to print the answer as JSON. */
  readonly json: boolean
}

/** The help text of these options, for commands that take them. */
export const warehouseOptions = (defaultData: string) =>
  `
  --stage <name>   a deployed stage; account, region and endpoint come from the AWS SDK's settings
  --data <folder>  the data folder of the local service, running or not (default ${defaultData}); with --stage, the
                   folder for files before their upload, and the warehouse of a stage that uses the local Athena
  ${jsonOption}`.trim()

/**
 * Runs `use` on the warehouse and catalogue of the local service or of a deployed stage, and prints its answer and the
 * place that it read or wrote.
 *
 * @throws CommandFailed if the data folder does not exist, the stage is not deployed, or it reads the operator's own
 *   warehouse
 */
export async function withWarehouse(
  { data, stage, create, json }: WarehouseChoice,
  use: (opened: OpenedWarehouse) => Promise<Answer>,
): Promise<void> {
  if (stage !== undefined) {
    const { place, ...opened } = await openDeployed(readStageName(stage), data)
    printAnswer(await use(opened), place, json)
    return
  }
  const onService = async (service: LocalAccess) => {
    const answer = await use({
      warehouse: openWarehouseFolder(service.warehouseFolder),
      catalogue: createDynamoCatalogue(connectDynamo(), tableName(service, 'Catalogue')),
    })
    printAnswer(answer, { dataFolder: data }, json)
  }
  await withLocalService(data, onService, create)
}

/**
 * Refuses a stage with the operator's own warehouse: its searches do not read the loader's tables.
 *
 * @throws CommandFailed naming the fields of the stage's `warehouse` that make it the operator's own
 */
export function refuseOwnRelation({ name, warehouse }: Pick<Stage, 'name' | 'warehouse'>): void {
  if (warehouse === undefined) return
  const { columns, feeSchedules, dataLocations } = warehouse
  const own = [
    ...(columns === undefined ? [] : ['columns']),
    ...(feeSchedules === 'relation' ? ["feeSchedules: 'relation'"] : []),
    ...(dataLocations.length === 0 ? [] : ['dataLocations']),
  ]
  if (own.length === 0) return
  throw new CommandFailed(
    `the stage ${name} reads your own warehouse (${own.join(', ')} in lib/stage.ts): load data with that warehouse's own tools`,
  )
}

async function openDeployed(name: string, data: string): Promise<OpenedWarehouse & { readonly place: Place }> {
  const stage = findStage(name)
  if (stage !== undefined) refuseOwnRelation(stage)
  const ownData = stage?.warehouse?.dataLocations
  const { CatalogueTable = '' } = await readOutputs(name)
  const catalogue = createDynamoCatalogue(connectDynamo(), CatalogueTable)
  // A warehouse without locations belongs to the local Athena, which reads a folder on this machine (docs/adr/0005).
  if (ownData !== undefined) {
    const warehouse = openWarehouseFolder(requireWarehouse(data))
    return { catalogue, warehouse, place: { stage: name, dataFolder: data } }
  }
  const { RatesLocation = '', DatabaseName = '', WorkGroupName = '' } = await readOutputs(name, 'Warehouse')
  makeFolder(data)
  const warehouse = openWarehouseBucket({
    files: createS3WarehouseFiles(RatesLocation),
    partitions: createPartitions({
      queries: createAthenaQueries({ workGroup: WorkGroupName, database: DatabaseName }),
      newToken: randomUUID,
      wait: (milliseconds) => setTimeout(milliseconds),
    }),
    stagingFolder: join(data, `staging-${name}`),
  })
  return { catalogue, warehouse, place: { stage: name } }
}
