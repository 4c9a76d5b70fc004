import { join } from 'node:path'
import { connectDynamo, patientSettings } from '../../adapters/dynamodb/dynamo-client.ts'
import { createS3WarehouseFiles } from '../../adapters/s3/s3-warehouse-files.ts'
import { CommandFailed } from '../../client/command-line/command-errors.ts'
import type { Stage } from '../../lib/stage/stage.ts'
import { findStage } from '../../lib/stage/stage-files.ts'
import { openWarehouse, openWarehouseFolder } from '../../loader/publish/warehouse/warehouse-folder.ts'
import { makeFolder } from '../../local/data-folder/storage-fault.ts'
import { layoutVersion } from '../../schema/columns/warehouse-tables.ts'
import { type Installation, requireWarehouse } from '../command/installation.ts'
import { readOutputs, readStageName, readTables, requireOutput } from '../stacks/deployment.ts'
import { connectCatalogue, type OpenedWarehouse } from './connect-catalogue.ts'

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
export async function openStageWarehouse(stageName: string, data: string): Promise<StageWarehouse> {
  const name = readStageName(stageName)
  const stage = findStage(name)
  if (stage !== undefined) refuseOwnRelation(stage)
  const ownData = stage?.warehouse?.dataLocations
  const outputs = await readOutputs(name)
  // Only a stage with its own warehouse has this role, and this one's file is elsewhere.
  if (stage === undefined && outputs['WarehouseReaderRole'] !== undefined)
    throw ownWarehouse(name, ` (or the local Athena's, which is known only if stages/ has its file ${name}.json)`)
  const connected = connectCatalogue(readTables(outputs), connectDynamo(patientSettings))
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
