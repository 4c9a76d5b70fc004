import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { createS3WarehouseReader, type WarehouseReader } from '../../adapters/s3/s3-warehouse-reader.ts'
import { openWarehouseFolder } from '../../loader/publish/warehouse/warehouse-folder.ts'
import type { OfTables } from '../../schema/tables.ts'
import { emulatorStageName } from '../command/emulator.ts'
import { bucketOf, type Installation } from '../command/installation.ts'
import { requireRunningService } from '../command/local-access.ts'
import { readOutputs, readStageName, readTables, requireOutput } from '../stacks/deployment.ts'
import { connectCatalogue, type OpenedWarehouse } from '../warehouse/connect-catalogue.ts'
import { openStageWarehouse } from '../warehouse/open-stage-warehouse.ts'

/** The installation in which Athena runs the searches of a stage. */
export interface MeasuredStage {
  readonly stage: string
  readonly region: string
  readonly workGroup: string
  readonly database: string
  /** Bucket of the files of rates. */
  readonly bucket: string
}

/** A service to be tried: a deployed stage, or the one that runs on a data folder. */
export interface Target {
  readonly installation: Installation
  readonly baseUrl: string
  readonly tables: OfTables<string>
  /** Lists the buckets with results. */
  readonly listBuckets: () => readonly string[]
  /** True if storage may serve files without a signature, as emulators of AWS do. */
  readonly isEmulated: boolean
  /** The workflow of searches; absent on one machine. */
  readonly stateMachine?: string
  /** Name of the alarm that operators set off by hand; absent on one machine. */
  readonly alarm?: string
  /** Facts for measurements; absent on one machine and over an operator's own warehouse. */
  readonly measured?: MeasuredStage
  /** Opens the warehouse; it fails over an operator's own relation. */
  readonly openWarehouse: () => Promise<OpenedWarehouse & { readonly reader: WarehouseReader }>
}

/**
 * Opens a deployed stage.
 *
 * @param data folder for files on their way, and that of the local Athena
 * @throws CommandFailed if it is not deployed
 */
export async function openStage(name: string, data: string): Promise<Target> {
  const stage = readStageName(name)
  const outputs = await readOutputs(stage)
  const { SearchesFailAlarm: alarm, WorkGroupName: workGroup, DatabaseName: database, RatesLocation } = outputs
  const stateMachine = requireOutput(outputs, 'SearchesStateMachine')
  const region = stateMachine.split(':')[3]
  return {
    installation: { stage },
    baseUrl: requireOutput(outputs, 'PublicBaseUrl'),
    tables: readTables(outputs),
    listBuckets: () => [requireOutput(outputs, 'ResultsBucket')],
    isEmulated: stage === emulatorStageName,
    stateMachine,
    ...(alarm !== undefined && { alarm }),
    ...(workGroup !== undefined &&
      database !== undefined &&
      RatesLocation !== undefined &&
      region !== undefined && {
        measured: { stage, region, workGroup, database, bucket: bucketOf(RatesLocation) },
      }),
    openWarehouse: async () => {
      const { root, ...opened } = await openStageWarehouse(stage, data)
      const reader = 'location' in root ? createS3WarehouseReader(root.location) : openFolder(root.folder)
      return { ...opened, reader }
    },
  }
}

/**
 * Opens the service that runs on a data folder.
 *
 * @throws CommandFailed if none does
 */
export function openLocal(dataFolder: string): Target {
  const { baseUrl, tables, warehouseFolder } = requireRunningService(dataFolder)
  return {
    installation: { dataFolder },
    baseUrl,
    tables,
    listBuckets: () => readdirSync(join(dataFolder, 's3')),
    isEmulated: false,
    openWarehouse: async () => ({
      warehouse: openWarehouseFolder(warehouseFolder),
      ...connectCatalogue(tables),
      reader: openFolder(warehouseFolder),
    }),
  }
}

function openFolder(root: string): WarehouseReader {
  return {
    listPaths: async (prefix) =>
      readdirSync(root, { recursive: true, encoding: 'utf8' })
        .map((path) => path.replaceAll(sep, '/'))
        .filter((path) => path.startsWith(prefix)),
    read: async (path) => new Uint8Array(await readFile(join(root, path))).buffer,
  }
}
