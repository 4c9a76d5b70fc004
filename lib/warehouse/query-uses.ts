import { noFileLists } from '../../schema/environment.ts'
import { allow } from '../functions/allow.ts'
import { allowKeys } from '../functions/allow-key.ts'
import type { ServiceFunction, Use } from '../functions/service-function.ts'
import type { Stage } from '../stage/stage.ts'
import { columnsOf, type WarehouseDescription } from '../stage/warehouse-description.ts'
import { arnOf, bucketArn, type Grantee, objectsArn } from './warehouse-rights.ts'

/** A warehouse, and the key of the data catalog that describes it, if the account encrypts its catalog with one. */
export type CataloguedWarehouse = WarehouseDescription & Pick<Stage, 'catalogKeyArn'>

/** Grants permissions for queries over a warehouse. */
export type GrantOnQueries = (grantee: Grantee, warehouse: CataloguedWarehouse) => void

/**
 * Allows starting and stopping queries over the warehouse, and reading all that Athena reads with its caller's
 * permissions. Source: Athena user guide, "Configure access to databases and tables in the AWS Glue Data Catalog",
 * which demands the database `default` as well, and "AWS managed policies for Amazon Athena" for S3.
 */
export const grantRunQueries: GrantOnQueries = (grantee, warehouse) => {
  const { database, databases = [], queryResults, fileLists, dataLocations, keyArns = [], catalogKeyArn } = warehouse
  const readLocations = [...dataLocations, ...(fileLists === undefined ? [] : [fileLists])]
  inWorkGroup('athena:StartQueryExecution', 'athena:StopQueryExecution')(grantee, warehouse)
  const databaseNames = [...new Set([database, ...databases])]
  const glueArn = (resource: string) => arnOf(grantee, 'glue', resource)
  allow(
    grantee,
    ['glue:GetDatabase', 'glue:GetTable', 'glue:GetPartition', 'glue:GetPartitions', 'glue:BatchGetPartition'],
    [glueArn('catalog'), ...databaseNames.flatMap((name) => [glueArn(`database/${name}`), glueArn(`table/${name}/*`)])],
  )
  if (!databaseNames.includes('default')) allow(grantee, ['glue:GetDatabase'], [glueArn('database/default')])
  allowKeys(grantee, 'use the data catalog', catalogKeyArn === undefined ? [] : [catalogKeyArn])
  allow(grantee, ['s3:GetObject'], readLocations.map(objectsArn))
  allow(
    grantee,
    ['s3:GetObject', 's3:PutObject', 's3:AbortMultipartUpload', 's3:ListMultipartUploadParts'],
    [objectsArn(queryResults)],
  )
  allow(grantee, ['s3:ListBucketMultipartUploads'], [bucketArn(queryResults)])
  allowKeys(grantee, 'read and write files', keyArns)
  allow(
    grantee,
    ['s3:ListBucket', 's3:GetBucketLocation'],
    [...new Set([...readLocations, queryResults].map(bucketArn))],
  )
}

/** Allows polling and stopping queries. */
export const grantWatchQueries = inWorkGroup('athena:GetQueryExecution', 'athena:StopQueryExecution')

/** Allows reading the rows of queries; Athena fetches them with the permissions of `grantRunQueries`. */
export const grantReadRows = inWorkGroup('athena:GetQueryResults')

function inWorkGroup(...actions: string[]): GrantOnQueries {
  return (grantee, { workGroup }) => allow(grantee, actions, [arnOf(grantee, 'athena', `workgroup/${workGroup}`)])
}

/** The uses of queries over the stage's warehouse. */
export type QueryUses = ReturnType<typeof describeQueryUses>

/**
 * Returns the uses of queries over a warehouse.
 *
 * @param athenaEndpoint URL of another Athena, for an emulator of AWS that lacks Athena
 */
export function describeQueryUses(warehouse: CataloguedWarehouse, athenaEndpoint: string | undefined) {
  const useWarehouse =
    (grant: GrantOnQueries): Use =>
    (user) => {
      // The AWS SDK reads this variable.
      if (athenaEndpoint !== undefined) user.addEnvironment('AWS_ENDPOINT_URL_ATHENA', athenaEndpoint)
      grant(user, warehouse)
    }
  return {
    runQueries: (user: ServiceFunction) => {
      user.setVariables({ WORKGROUP: warehouse.workGroup, DATABASE: warehouse.database })
      useWarehouse(grantRunQueries)(user)
    },
    /** Writes the lists of files that queries read, if searches use lists. */
    listFiles: (searchFiles: Stage['searchFiles']) => (user: ServiceFunction) => {
      const isUsed = searchFiles !== 'folders' && columnsOf(warehouse) === undefined
      const location = isUsed ? warehouse.fileLists : undefined
      user.setVariables({ FILE_LISTS_LOCATION: location ?? noFileLists, SEARCH_FILES: searchFiles })
      if (location !== undefined) allow(user, ['s3:PutObject'], [objectsArn(location)])
    },
    watchQueries: useWarehouse(grantWatchQueries),
    stopQueries: useWarehouse(inWorkGroup('athena:StopQueryExecution')),
    /** Reads the rows of queries that `runQueries` started. */
    readRows: useWarehouse(grantReadRows),
    /** Reads the manifests that queries leave in their result location. */
    readManifests: (user: ServiceFunction) => {
      allow(user, ['s3:GetObject'], [objectsArn(warehouse.queryResults)])
      allowKeys(user, 'read files', warehouse.keyArns ?? [])
    },
  }
}
