import { createDynamoCatalogue } from '../../adapters/dynamodb/catalogue/dynamo-catalogue.ts'
import { createDynamoContents } from '../../adapters/dynamodb/catalogue/dynamo-contents.ts'
import { createDynamoLoadRecords } from '../../adapters/dynamodb/catalogue/dynamo-load-records.ts'
import { connectDynamo } from '../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoLoadWork } from '../../adapters/dynamodb/loads/dynamo-load-work.ts'
import { createDynamoCodeNames } from '../../adapters/dynamodb/vocabulary/dynamo-code-names.ts'
import { createDynamoSpecialties } from '../../adapters/dynamodb/vocabulary/dynamo-specialties.ts'
import { commandRequests } from '../../adapters/request-limits.ts'
import { openCodeNameWriter } from '../../core/vocabulary/code-name-writer.ts'
import type { WarehouseFolder } from '../../loader/publish/warehouse/warehouse-folder.ts'
import type { OfTables } from '../../schema/tables.ts'
import { newOpaqueId } from '../command/opaque-id.ts'

/**
 * Connects to the catalogue of a service and to the contents its entries point to. New ids and a clock for the changes
 * are included.
 */
export function connectCatalogue(
  { FeeSchedules, Contents }: Pick<OfTables<string>, 'FeeSchedules' | 'Contents'>,
  dynamo = connectDynamo(commandRequests),
) {
  const now = () => new Date()
  return {
    catalogue: createDynamoCatalogue(dynamo, FeeSchedules, Contents),
    contents: createDynamoContents(dynamo, Contents),
    records: createDynamoLoadRecords(dynamo, Contents),
    work: createDynamoLoadWork(dynamo, Contents),
    codeNames: openCodeNameWriter(createDynamoCodeNames(dynamo, Contents), newOpaqueId, now),
    specialties: createDynamoSpecialties(dynamo, Contents),
    newId: newOpaqueId,
    now,
  }
}

/**
 * The warehouse that loads change: the files that searches read, and the catalogue that says which of them are active.
 */
export type OpenedWarehouse = { readonly warehouse: WarehouseFolder } & ReturnType<typeof connectCatalogue>
