import { Aws, Stack } from 'aws-cdk-lib'
import type { IGrantable } from 'aws-cdk-lib/aws-iam'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'

/** Where searches read: a description of a warehouse, whoever made it. Names alone are not enough to be let in. */
export interface WarehouseDescription {
  /** Athena workgroup that searches run in; it should carry a limit of bytes. */
  readonly workGroup: string
  /** Glue database with the relation `rates`. */
  readonly database: string
  /** `s3://bucket/prefix/` where Athena keeps manifests; the workgroup's own result location. */
  readonly queryResults: string
  /** `s3://bucket/prefix/` of every place that `rates` reads. */
  readonly dataLocations: readonly string[]
  /** ARNs of the KMS keys that the data or the manifests are encrypted with. @default - none */
  readonly keyArns?: readonly string[]
}

/** Lets a function start and stop queries over the warehouse: Athena reads with its caller's rights. */
export function grantRunQueries(scope: Construct, grantee: IGrantable, warehouse: WarehouseDescription): void {
  const { workGroup, database, queryResults, dataLocations, keyArns = [] } = warehouse
  const arn = (service: string, resource: string) => Stack.of(scope).formatArn({ service, resource })
  allow(grantee, ['athena:StartQueryExecution', 'athena:StopQueryExecution'], [arn('athena', `workgroup/${workGroup}`)])
  allow(
    grantee,
    // Found partitions are read by name. See Athena user guide, "Configure access to databases and tables in the AWS Glue
    // Data Catalog".
    ['glue:GetDatabase', 'glue:GetTable', 'glue:GetPartition', 'glue:GetPartitions', 'glue:BatchGetPartition'],
    [arn('glue', 'catalog'), arn('glue', `database/${database}`), arn('glue', `table/${database}/*`)],
  )
  allow(grantee, ['s3:GetObject'], dataLocations.map(objectsArn))
  allow(grantee, ['s3:GetObject', 's3:PutObject', 's3:AbortMultipartUpload'], [objectsArn(queryResults)])
  allow(grantee, ['kms:Decrypt', 'kms:GenerateDataKey'], keyArns)
  allow(
    grantee,
    ['s3:ListBucket', 's3:GetBucketLocation'],
    [...new Set([...dataLocations, queryResults].map(bucketArn))],
  )
}

/** Lets a function look after queries and stop them. */
export function grantWatchQueries(scope: Construct, grantee: IGrantable, { workGroup }: WarehouseDescription): void {
  const resource = Stack.of(scope).formatArn({ service: 'athena', resource: `workgroup/${workGroup}` })
  allow(grantee, ['athena:GetQueryExecution', 'athena:StopQueryExecution'], [resource])
}

/** Lets a function stop queries. */
export function grantStopQueries(scope: Construct, grantee: IGrantable, { workGroup }: WarehouseDescription): void {
  const resource = Stack.of(scope).formatArn({ service: 'athena', resource: `workgroup/${workGroup}` })
  allow(grantee, ['athena:StopQueryExecution'], [resource])
}

/** Lets a function read the manifests that queries leave in their result location. */
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
