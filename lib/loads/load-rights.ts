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

/** Allows registering partitions of the loader's tables. Source: AWS Glue developer guide, "Actions". */
export const grantPartitions: Grant =
  ({ database }) =>
  (user) => {
    const arn = (resource: string) => arnOf(user, 'glue', resource)
    const tables = warehouseTables.map(({ name }) => arn(`table/${database}/${name}`))
    allow(
      user,
      ['glue:GetTable', 'glue:BatchCreatePartition'],
      [arn('catalog'), arn(`database/${database}`), ...tables],
    )
  }
