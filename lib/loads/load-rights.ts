import type { ResourceUser } from '../functions/service-function.ts'
import type { WarehouseDescription } from '../warehouse/warehouse-description.ts'
import { allow, bucketArn, objectsArn } from '../warehouse/warehouse-rights.ts'

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

/** Allows deleting files of what is no longer read. */
export const grantClean: Grant =
  ({ dataLocations }) =>
  (user) =>
    allow(user, ['s3:DeleteObject'], dataLocations.map(objectsArn))
