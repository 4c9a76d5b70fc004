import { openWarehouseFolder } from '../../loader/publish/warehouse/warehouse-folder.ts'
import type { Installation } from '../command/installation.ts'
import { defaultDataFolder, openLocalStorage } from '../command/local-access.ts'
import { jsonOption } from '../command/output.ts'
import { connectCatalogue, type OpenedWarehouse } from './connect-catalogue.ts'

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
    // Commands on a data folder need not load the clients of CloudFormation and S3.
    const { openStageWarehouse } = await import('./open-stage-warehouse.ts')
    const opened = await openStageWarehouse(stage, data)
    return { ...opened, [Symbol.asyncDispose]: async () => undefined }
  }
  const storage = await openLocalStorage(data, create)
  return {
    warehouse: openWarehouseFolder(storage.warehouseFolder),
    ...connectCatalogue(storage.tables),
    installation: { dataFolder: data },
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  }
}
