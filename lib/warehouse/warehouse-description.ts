import { Aws, Stack } from 'aws-cdk-lib'
import type { IGrantable } from 'aws-cdk-lib/aws-iam'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import * as v from 'valibot'
import { allColumns } from '../../schema/relation-columns.ts'

const location = v.pipe(
  v.string(),
  v.regex(
    /^s3:\/\/[^/]+\/(?:.+\/)?$/,
    ({ input }) => `must be s3://bucket/prefix/, with a slash at its end, not "${input}"`,
  ),
)

/** What searches read, and what they need permission for: Athena reads with the permissions of its caller. */
export const warehouseDescription = v.strictObject({
  workGroup: v.pipe(
    v.string(),
    v.description('Athena workgroup that searches run in; it should have a limit of bytes.'),
  ),
  database: v.pipe(v.string(), v.description('Glue database with the relation `rates`.')),
  databases: v.exactOptional(
    v.pipe(
      v.array(v.string()),
      v.description('Further Glue databases with tables and views that `rates` and `fee_schedules` read.'),
    ),
  ),
  queryResults: v.pipe(
    location,
    v.description("Where Athena keeps manifests: the workgroup's own result location, s3://bucket/prefix/."),
  ),
  dataLocations: v.pipe(v.array(location), v.description('Every place that `rates` reads, s3://bucket/prefix/.')),
  keyArns: v.exactOptional(
    v.pipe(v.array(v.string()), v.description('KMS keys that the data or the manifests are encrypted with.')),
  ),
  columns: v.exactOptional(
    v.pipe(
      v.array(v.string()),
      v.description('The columns that your own relation `rates` has; the others are NULL in results. Default: all.'),
    ),
  ),
  feeSchedules: v.exactOptional(
    v.pipe(
      v.picklist(['loads', 'relation']),
      v.description(
        'What says which fee schedules there are: loads, or a relation `fee_schedules` beside your own `rates`. Default: loads.',
      ),
    ),
  ),
  refreshMinutes: v.exactOptional(
    v.pipe(
      v.number(),
      v.integer(),
      v.minValue(1),
      v.maxValue(60),
      v.description('How often the relation `fee_schedules` is read, in minutes. Default: 15.'),
    ),
  ),
})

export type WarehouseDescription = Readonly<v.InferOutput<typeof warehouseDescription>>

/** The columns of an operator's own relation; undefined if the relation is the service's own. */
export function columnsOf({ columns, feeSchedules }: WarehouseDescription): readonly string[] | undefined {
  if (columns === undefined) return feeSchedules === 'relation' ? allColumns : undefined
  return columns
}

/**
 * Allows starting and stopping queries over the warehouse, including what Athena reads with its caller's permissions.
 * Source: Athena user guide, "Configure access to databases and tables in the AWS Glue Data Catalog" (also the database
 * `default`) and "AWS managed policies for Amazon Athena" (S3).
 */
export function grantRunQueries(scope: Construct, grantee: IGrantable, warehouse: WarehouseDescription): void {
  const { workGroup, database, databases = [], queryResults, dataLocations, keyArns = [] } = warehouse
  const arn = (service: string, resource: string) => Stack.of(scope).formatArn({ service, resource })
  allow(grantee, ['athena:StartQueryExecution', 'athena:StopQueryExecution'], [arn('athena', `workgroup/${workGroup}`)])
  const read = [...new Set([database, ...databases])]
  allow(
    grantee,
    ['glue:GetDatabase', 'glue:GetTable', 'glue:GetPartition', 'glue:GetPartitions', 'glue:BatchGetPartition'],
    [
      arn('glue', 'catalog'),
      ...read.flatMap((name) => [arn('glue', `database/${name}`), arn('glue', `table/${name}/*`)]),
    ],
  )
  if (!read.includes('default')) allow(grantee, ['glue:GetDatabase'], [arn('glue', 'database/default')])
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
export function grantWatchQueries(scope: Construct, grantee: IGrantable, { workGroup }: WarehouseDescription): void {
  const resource = Stack.of(scope).formatArn({ service: 'athena', resource: `workgroup/${workGroup}` })
  allow(grantee, ['athena:GetQueryExecution', 'athena:StopQueryExecution'], [resource])
}

/** Allows reading the rows of queries; Athena fetches them with the permissions of `grantRunQueries`. */
export function grantReadRows(scope: Construct, grantee: IGrantable, { workGroup }: WarehouseDescription): void {
  const resource = Stack.of(scope).formatArn({ service: 'athena', resource: `workgroup/${workGroup}` })
  allow(grantee, ['athena:GetQueryResults'], [resource])
}

/** Allows stopping queries. */
export function grantStopQueries(scope: Construct, grantee: IGrantable, { workGroup }: WarehouseDescription): void {
  const resource = Stack.of(scope).formatArn({ service: 'athena', resource: `workgroup/${workGroup}` })
  allow(grantee, ['athena:StopQueryExecution'], [resource])
}

/** Allows reading the manifests that queries leave in their result location. */
export function grantReadManifests(grantee: IGrantable, warehouse: WarehouseDescription): void {
  allow(grantee, ['s3:GetObject'], [objectsArn(warehouse.queryResults)])
  allow(grantee, ['kms:Decrypt'], warehouse.keyArns ?? [])
}

function allow(grantee: IGrantable, actions: string[], resources: readonly string[]): void {
  if (resources.length === 0) return
  grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ actions, resources: [...resources] }))
}

const withoutScheme = (location: string) => location.replace(/^s3:\/\//, '')

const objectsArn = (location: string) => `arn:${Aws.PARTITION}:s3:::${withoutScheme(location).replace(/\/?$/, '/*')}`

const bucketArn = (location: string) => `arn:${Aws.PARTITION}:s3:::${withoutScheme(location).split('/')[0]}`
