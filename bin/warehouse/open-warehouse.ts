import { join } from 'node:path'
import { connectDynamo, patientSettings } from '../../adapters/dynamodb/dynamo-client.ts'
import { createS3WarehouseFiles } from '../../adapters/s3/s3-warehouse-files.ts'
import { CommandFailed } from '../../client/command-line/command-errors.ts'
import type { SwitchDeps } from '../../core/switching/plan-changes.ts'
import type { Stage } from '../../lib/stage/stage.ts'
import { findStage } from '../../lib/stage/stage-files.ts'
import {
  openWarehouse,
  openWarehouseFolder,
  type WarehouseFolder,
} from '../../loader/publish/warehouse/warehouse-folder.ts'
import { makeFolder } from '../../local/data-folder/storage-fault.ts'
import { layoutVersion } from '../../schema/columns/warehouse-tables.ts'
import { type Installation, requireWarehouse } from '../command/installation.ts'
import { defaultDataFolder, openLocalStorage } from '../command/local-access.ts'
import { newOpaqueId } from '../command/opaque-id.ts'
import { jsonOption } from '../command/output.ts'
import { readOutputs, readStageName, readTables, requireOutput } from '../stacks/deployment.ts'
import { connectCatalogue } from './connect-catalogue.ts'

/**
 * The warehouse that loads change: the files that searches read, and the catalogue that says which of them are active.
 * New ids and a clock for the changes are included.
 */
export type OpenedWarehouse = SwitchDeps & { readonly warehouse: WarehouseFolder } & ReturnType<typeof connectCatalogue>

const ofChanges = { newId: newOpaqueId, now: () => new Date() }

/** The warehouse that a command works on. */
export interface WarehouseChoice {
  /**
   * The data folder of the local service; for a deployed stage, the local folder for temporary files. @default .data
   */
  readonly data?: string | undefined
  /** A deployed stage; absent for the local service. */
  readonly stage?: string | undefined
  /** True to create a missing data folder. @default false */
  readonly create?: boolean | undefined
}

/** The options' help, for commands that take them. */
export const warehouseOptions = `
  --stage <name>   a deployed stage; account, region and endpoint are the AWS SDK's own settings
  --data <folder>  the data folder of the local service, running or not (default ${defaultDataFolder}); with --stage, where
                   files are made before they are uploaded, and the warehouse of a stage that uses the local Athena
  ${jsonOption}`.trim()

/**
 * Opens the warehouse and catalogue of the local service or of a deployed stage.
 *
 * @throws CommandFailed if there is no such data folder, the stage is not deployed, or it reads the operator's own
 *   warehouse
 */
export async function openChosenWarehouse({
  data = defaultDataFolder,
  stage,
  create,
}: WarehouseChoice): Promise<OpenedWarehouse & { readonly installation: Installation } & AsyncDisposable> {
  if (stage !== undefined) {
    const opened = await openStageWarehouse(readStageName(stage), data)
    return { ...opened, [Symbol.asyncDispose]: async () => undefined }
  }
  const storage = await openLocalStorage(data, create)
  return {
    warehouse: openWarehouseFolder(storage.warehouseFolder),
    ...connectCatalogue(storage.tables),
    ...ofChanges,
    installation: { dataFolder: data },
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  }
}

/**
 * Refuses a stage that reads the operator's own warehouse: its searches do not read the loader's tables.
 *
 * @throws CommandFailed naming the field of the stage's `warehouse` that is the reason
 */
export function refuseOwnRelation({ name, warehouse }: Pick<Stage, 'name' | 'warehouse'>): void {
  if (warehouse === undefined) return
  const { columns, feeSchedules, dataLocations } = warehouse
  const ownParts = [
    ...(columns === undefined ? [] : ['columns']),
    ...(feeSchedules === 'relation' ? ["feeSchedules: 'relation'"] : []),
    ...(dataLocations.length === 0 ? [] : ['dataLocations']),
  ]
  if (ownParts.length === 0) return
  throw ownWarehouse(name, ` (${ownParts.join(', ')} in its stage file)`)
}

const ownWarehouse = (stage: string, reasons = '') =>
  new CommandFailed(`the stage ${stage} reads a warehouse of your own${reasons}: load into that by its own means`)

/** The warehouse of a deployed stage, with the root of its files: a location in S3, or a folder of the local Athena. */
export type StageWarehouse = OpenedWarehouse & {
  readonly installation: Installation
  readonly root: { readonly location: string } | { readonly folder: string }
}

/**
 * Opens the warehouse of a deployed stage.
 *
 * @param data folder for files on their way, and that of the local Athena
 * @throws CommandFailed if the stage is not deployed, or reads the operator's own warehouse
 */
export async function openStageWarehouse(name: string, data: string): Promise<StageWarehouse> {
  const stage = findStage(name)
  if (stage !== undefined) refuseOwnRelation(stage)
  const ownData = stage?.warehouse?.dataLocations
  const outputs = await readOutputs(name)
  // Only a stage with its own warehouse has this role, and this one's file is elsewhere.
  if (stage === undefined && outputs['WarehouseReaderRole'] !== undefined)
    throw ownWarehouse(name, ` (or the local Athena's, which is known only if stages/ has its file ${name}.json)`)
  const connected = { ...connectCatalogue(readTables(outputs), connectDynamo(patientSettings)), ...ofChanges }
  // A warehouse without locations is the local Athena's, which reads a folder of this machine (docs/adr/0005).
  if (ownData !== undefined) {
    const folder = requireWarehouse(data)
    const installation = { stage: name, dataFolder: data }
    return { ...connected, warehouse: openWarehouseFolder(folder), installation, root: { folder } }
  }
  if (outputs['RatesLayout'] !== layoutVersion)
    throw new CommandFailed(`the stage ${name} has tables of another version: deploy it with this version, then load`)
  makeFolder(data)
  const location = requireOutput(outputs, 'RatesLocation')
  const files = createS3WarehouseFiles(location)
  const warehouse = openWarehouse({ files, workspaces: join(data, `workspaces-${name}`) })
  return { ...connected, warehouse, installation: { stage: name }, root: { location } }
}
