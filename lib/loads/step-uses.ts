import type { LoadStep } from '../../schema/load-step.ts'
import { allow } from '../functions/allow.ts'
import type { ResourceUser } from '../functions/service-function.ts'
import type { WarehouseDescription } from '../stage/warehouse-description.ts'
import type { Tables } from '../storage/tables.ts'
import { bucketArn, objectsArn } from '../warehouse/warehouse-rights.ts'

/** Lets a step of loads use a resource, as `Use` does for a function. */
export type StepUse = (user: ResourceUser) => void

/**
 * Returns what each step of loads may use, besides its code and its log.
 *
 * @param clean true if `finish` deletes superseded files and names after each load
 */
export function describeStepUses(
  tables: Tables,
  { dataLocations, keyArns = [] }: Pick<WarehouseDescription, 'dataLocations' | 'keyArns'>,
  clean: boolean,
): Readonly<Record<LoadStep, readonly StepUse[]>> {
  const objects = dataLocations.map(objectsArn)
  const recordProgress = tables.useContents('BatchGetItem', 'DeleteItem', 'PutItem', 'Query', 'UpdateItem')
  const listFiles: StepUse = (user) => allow(user, ['s3:ListBucket'], [...new Set(dataLocations.map(bucketArn))])
  // A file that is already there is read and compared.
  // Source: Amazon S3 User Guide, "Multipart upload and permissions".
  const upload: StepUse = (user) => {
    allow(user, ['s3:PutObject', 's3:AbortMultipartUpload', 's3:GetObject'], objects)
    allow(user, ['kms:Decrypt', 'kms:GenerateDataKey'], keyArns)
  }
  const deleteFiles: StepUse = (user) => allow(user, ['s3:DeleteObject'], objects)
  return {
    plan: [recordProgress, listFiles, tables.useCatalogue('BatchGetItem', 'Query', 'Scan')],
    work: [recordProgress, listFiles, tables.nameCatalogue, upload],
    finish: [
      recordProgress,
      listFiles,
      tables.useCatalogue('BatchGetItem', 'PutItem', 'Query', 'Scan'),
      upload,
      ...(clean ? [tables.useCatalogue('DeleteItem'), tables.useContents('Scan'), deleteFiles] : []),
    ],
  }
}
