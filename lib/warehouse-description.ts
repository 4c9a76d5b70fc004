import { Aws, Stack } from 'aws-cdk-lib'
import type { IGrantable } from 'aws-cdk-lib/aws-iam'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import { allColumns, findColumnFaults } from '../core/relation-columns.ts'

/** What searches read, and need permission for: Athena reads with its caller's permissions. */
export interface WarehouseDescription {
  /** Athena workgroup of searches; it should limit the bytes scanned per query. */
  readonly workGroup: string
  /** Glue database with the relation `rates`. */
  readonly database: string
  /** More Glue databases with tables and views that `rates` and `fee_schedules` read. @default - none */
  readonly databases?: readonly string[]
  /** `s3://bucket/prefix/` where Athena stores manifests: the workgroup's result location. */
  readonly queryResults: string
  /** `s3://bucket/prefix/` of every location that `rates` reads. */
  readonly dataLocations: readonly string[]
  /** ARNs of the KMS keys of data and manifests. @default - none */
  readonly keyArns?: readonly string[]
  /**
   * The columns of an operator's relation `rates`; all others are NULL in results. A relation with this setting has no
   * sources, so a search reads all of it. @default - all columns
   */
  readonly columns?: readonly string[]
  /**
   * What fills the catalogue: the loads, or a relation `fee_schedules` (payer, plan; plan_id and last_updated_on if
   * known) beside an operator's `rates`. @default 'loads'
   */
  readonly feeSchedules?: 'loads' | 'relation'
  /**
   * Minutes between refreshes from the relation `fee_schedules`; at most 60, so that the alarm detects failures.
   * @default 15
   */
  readonly refreshMinutes?: number
}

/**
 * Returns the columns of an operator's relation; undefined if the relation is the service's own.
 *
 * @throws UnfitRelation naming every missing or unknown column
 */
export function columnsOf({ columns, feeSchedules }: WarehouseDescription): readonly string[] | undefined {
  if (columns === undefined) return feeSchedules === 'relation' ? allColumns : undefined
  const { missing, unknown } = findColumnFaults(columns)
  if (missing.length > 0 || unknown.length > 0) throw new UnfitRelation(missing, unknown)
  return columns
}

/** A stage describes a relation that searches cannot read. */
export class UnfitRelation extends Error {
  override readonly name = 'UnfitRelation'
  constructor(missing: readonly string[], unknown: readonly string[]) {
    const faults = [
      ...(missing.length > 0 ? [`lack the required ${missing.join(', ')}`] : []),
      ...(unknown.length > 0 ? [`name what rates does not have: ${unknown.join(', ')}`] : []),
    ]
    super(`the columns of the stage's own relation ${faults.join(', and ')}; core/rates.ts has them all`)
  }
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
