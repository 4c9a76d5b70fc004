import { localWarehouseBucket, nppesTables } from '../../schema/columns/providers-table.ts'
import { allow } from '../functions/allow.ts'
import { allowKeys } from '../functions/allow-key.ts'
import type { Use } from '../functions/service-function.ts'
import { columnsOf, type WarehouseDescription } from '../stage/warehouse-description.ts'
import { objectsArn } from './warehouse-rights.ts'

/** Reads the files of NPPES in the loader's warehouse, and nothing else there. An own relation has none. */
export const readProviderFiles =
  (warehouse: WarehouseDescription): Use =>
  (user) => {
    // A stage without a place for data is one of this machine or of an emulator (lib/stage/parse-stage.ts).
    const [location = `s3://${localWarehouseBucket}/`] = warehouse.dataLocations
    user.setVariables({ PROVIDERS_LOCATION: location })
    if (columnsOf(warehouse) !== undefined) return
    allow(
      user,
      ['s3:GetObject'],
      nppesTables.map(({ name }) => objectsArn(`${location}${name}/`)),
    )
    allowKeys(user, 'read files', warehouse.keyArns ?? [])
  }
