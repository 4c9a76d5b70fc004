import { allow } from '../functions/allow.ts'
import type { ServiceFunction, Use } from '../functions/service-function.ts'
import type { WarehouseDescription } from '../stage/warehouse-description.ts'
import { arnOf, bucketArn, type Grantee, objectsArn } from './warehouse-rights.ts'

/** Grants permissions for queries over a warehouse. */
export type GrantOnQueries = (grantee: Grantee, warehouse: WarehouseDescription) => void

/**
 * Allows starting and stopping queries over the warehouse, including what Athena reads with its caller's permissions.
 * Source: Athena user guide, "Configure access to databases and tables in the AWS Glue Data Catalog" (also the database
 * `default`) and "AWS managed policies for Amazon Athena" (S3).
 */
export const grantRunQueries: GrantOnQueries = (grantee, warehouse) => {
  const { database, databases = [], queryResults, dataLocations, keyArns = [] } = warehouse
  inWorkGroup('athena:StartQueryExecution', 'athena:StopQueryExecution')(grantee, warehouse)
  const read = [...new Set([database, ...databases])]
  const glueArn = (resource: string) => arnOf(grantee, 'glue', resource)
  allow(
    grantee,
    ['glue:GetDatabase', 'glue:GetTable', 'glue:GetPartition', 'glue:GetPartitions', 'glue:BatchGetPartition'],
    [glueArn('catalog'), ...read.flatMap((name) => [glueArn(`database/${name}`), glueArn(`table/${name}/*`)])],
  )
  if (!read.includes('default')) allow(grantee, ['glue:GetDatabase'], [glueArn('database/default')])
  allow(grantee, ['s3:GetObject'], dataLocations.map(objectsArn))
  allow(
    grantee,
    ['s3:GetObject', 's3:PutObject', 's3:AbortMultipartUpload', 's3:ListMultipartUploadParts'],
    [objectsArn(queryResults)],
  )
  allow(grantee, ['s3:ListBucketMultipartUploads'], [bucketArn(queryResults)])
  allow(grantee, ['kms:Decrypt', 'kms:GenerateDataKey'], keyArns)
  allow(
    grantee,
    ['s3:ListBucket', 's3:GetBucketLocation'],
    [...new Set([...dataLocations, queryResults].map(bucketArn))],
  )
}

/** Allows polling and stopping queries. */
export const grantWatchQueries = inWorkGroup('athena:GetQueryExecution', 'athena:StopQueryExecution')

/** Allows reading the rows of queries; Athena fetches them with the permissions of `grantRunQueries`. */
export const grantReadRows = inWorkGroup('athena:GetQueryResults')

function inWorkGroup(...actions: string[]): GrantOnQueries {
  return (grantee, { workGroup }) => allow(grantee, actions, [arnOf(grantee, 'athena', `workgroup/${workGroup}`)])
}

/** What functions may do with queries over the stage's warehouse. */
export type QueryUses = ReturnType<typeof describeQueryUses>

/** @param athenaEndpoint URL of another Athena, for an emulator of AWS that has none */
export function describeQueryUses(warehouse: WarehouseDescription, athenaEndpoint: string | undefined) {
  const ofWarehouse =
    (grant: GrantOnQueries): Use =>
    (user) => {
      // Read by the AWS SDK itself.
      if (athenaEndpoint !== undefined) user.addEnvironment('AWS_ENDPOINT_URL_ATHENA', athenaEndpoint)
      grant(user, warehouse)
    }
  return {
    runQueries: (user: ServiceFunction) => {
      user.setVariables({ WORKGROUP: warehouse.workGroup, DATABASE: warehouse.database })
      ofWarehouse(grantRunQueries)(user)
    },
    watchQueries: ofWarehouse(grantWatchQueries),
    stopQueries: ofWarehouse(inWorkGroup('athena:StopQueryExecution')),
    /** Reads the rows of queries that `runQueries` started. */
    readRows: ofWarehouse(grantReadRows),
    /** Reads the manifests that queries leave in their result location. */
    readManifests: (user: ServiceFunction) => {
      allow(user, ['s3:GetObject'], [objectsArn(warehouse.queryResults)])
      allow(user, ['kms:Decrypt'], warehouse.keyArns ?? [])
    },
  }
}
