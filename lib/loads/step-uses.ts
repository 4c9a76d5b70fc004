import {
  contentTable,
  currentTable,
  deployedTables,
  sourceTables,
  type WarehouseTable,
} from '../../schema/columns/warehouse-tables.ts'
import type { LoadStep } from '../../schema/load-step.ts'
import { allow } from '../functions/allow.ts'
import { allowKeys } from '../functions/allow-key.ts'
import type { ResourceUser } from '../functions/service-function.ts'
import type { WarehouseDescription } from '../stage/warehouse-description.ts'
import type { Tables } from '../storage/tables.ts'
import { bucketArn, objectsArn } from '../warehouse/warehouse-rights.ts'
import { writableKeys } from './step-keys.ts'

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
  const readProgress = tables.useContents('BatchGetItem', 'Query')
  const listFiles: StepUse = (user) => allow(user, ['s3:ListBucket'], [...new Set(dataLocations.map(bucketArn))])
  const filesOf = (written: readonly WarehouseTable[]) =>
    dataLocations.flatMap((location) => written.map(({ name }) => objectsArn(`${location}${name}/`)))
  const create =
    (...written: readonly WarehouseTable[]): StepUse =>
    (user) => {
      allowCreating(user, filesOf(written))
      allowKeys(user, 'read and write files', keyArns)
    }
  const deleteFiles: StepUse = (user) => allow(user, ['s3:DeleteObject'], filesOf(deployedTables))
  return {
    plan: [
      readProgress,
      tables.writeContents(writableKeys.plan),
      listFiles,
      tables.useCatalogue('BatchGetItem', 'Query', 'Scan'),
    ],
    work: [
      readProgress,
      tables.writeContents(writableKeys.work),
      listFiles,
      tables.nameCatalogue,
      create(...sourceTables),
    ],
    finish: [
      readProgress,
      tables.useContents('DeleteItem', 'PutItem', 'UpdateItem'),
      listFiles,
      tables.useCatalogue('BatchGetItem', 'PutItem', 'Query', 'Scan'),
      create(contentTable, currentTable),
      ...(clean ? [tables.useCatalogue('DeleteItem'), tables.useContents('Scan'), deleteFiles] : []),
    ],
  }
}

/**
 * Allows creating files, but not replacing any: S3 accepts an object only with `If-None-Match`, which the parts of an
 * upload cannot have. A file that is already there is read and compared.
 *
 * Source: Amazon S3 User Guide, "Enforce conditional writes" and "Multipart upload and permissions".
 */
function allowCreating(user: ResourceUser, files: readonly string[]): void {
  allow(user, ['s3:AbortMultipartUpload', 's3:GetObject'], files)
  allow(user, ['s3:PutObject'], files, { Null: { 's3:if-none-match': 'false' } })
  allow(user, ['s3:PutObject'], files, { Bool: { 's3:ObjectCreationOperation': 'false' } })
}
