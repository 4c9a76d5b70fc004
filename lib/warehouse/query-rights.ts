import type { WarehouseDescription } from './warehouse-description.ts'
import { allow, arnOf, bucketArn, type Grantee, objectsArn } from './warehouse-rights.ts'

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

/** Allows stopping queries. */
export const grantStopQueries = inWorkGroup('athena:StopQueryExecution')

/** Allows reading the rows of queries; Athena fetches them with the permissions of `grantRunQueries`. */
export const grantReadRows = inWorkGroup('athena:GetQueryResults')

/** Allows reading the manifests that queries leave in their result location. */
export const grantReadManifests: GrantOnQueries = (grantee, { queryResults, keyArns = [] }) => {
  allow(grantee, ['s3:GetObject'], [objectsArn(queryResults)])
  allow(grantee, ['kms:Decrypt'], keyArns)
}

function inWorkGroup(...actions: string[]): GrantOnQueries {
  return (grantee, { workGroup }) => allow(grantee, actions, [arnOf(grantee, 'athena', `workgroup/${workGroup}`)])
}
