import { warehouseTables } from '../../schema/columns/warehouse-tables.ts'
import type { ResourceUser } from '../functions/service-function.ts'
import type { WarehouseDescription } from '../warehouse/warehouse-description.ts'
import { allow, arnOf, bucketArn, objectsArn } from '../warehouse/warehouse-rights.ts'

type Grant = (warehouse: WarehouseDescription) => (user: ResourceUser) => void

/** Allows listing files of the warehouse. */
export const grantList: Grant =
  ({ dataLocations }) =>
  (user) =>
    allow(user, ['s3:ListBucket'], [...new Set(dataLocations.map(bucketArn))])

/** Allows uploading files. Source: Amazon S3 User Guide, "Multipart upload and permissions". */
export const grantUpload: Grant =
  ({ dataLocations, keyArns = [] }) =>
  (user) => {
    allow(user, ['s3:PutObject', 's3:AbortMultipartUpload'], dataLocations.map(objectsArn))
    allow(user, ['kms:Decrypt', 'kms:GenerateDataKey'], keyArns)
  }

/** Allows deleting files and partitions of what is no longer read. */
export const grantClean: Grant =
  ({ dataLocations, database }) =>
  (user) => {
    allow(user, ['s3:DeleteObject'], dataLocations.map(objectsArn))
    allow(user, ['glue:BatchDeletePartition'], arnsOfTables(user, database))
  }

/** Allows registering partitions of the loader's tables. Source: AWS Glue developer guide, "Actions". */
export const grantPartitions: Grant =
  ({ database }) =>
  (user) =>
    allow(user, ['glue:GetTable', 'glue:BatchCreatePartition'], arnsOfTables(user, database))

/** The loader's tables, with what Glue wants beside a table. */
function arnsOfTables(user: ResourceUser, database: string): readonly string[] {
  const tables = warehouseTables.map(({ name }) => `table/${database}/${name}`)
  return ['catalog', `database/${database}`, ...tables].map((resource) => arnOf(user, 'glue', resource))
}
