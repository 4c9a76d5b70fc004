import { Duration } from 'aws-cdk-lib'
import type { IGrantable } from 'aws-cdk-lib/aws-iam'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import type { CorsRule } from 'aws-cdk-lib/aws-s3'
import { HttpMethods } from 'aws-cdk-lib/aws-s3'
import type { Construct } from 'constructs'
import { resultsPrefix } from '../../schema/results-prefix.ts'
import type { Stage } from '../stage/stage.ts'
import { PrivateBucket } from './private-bucket.ts'

/** Pages read a part of a file by Range, and see how long the whole is only if these headers are exposed. */
function allowReading(origins: readonly string[]): readonly CorsRule[] {
  if (origins.length === 0) return []
  const exposedHeaders = ['Content-Range', 'Content-Length', 'ETag']
  return [
    { allowedMethods: [HttpMethods.GET], allowedOrigins: [...origins], allowedHeaders: ['Range'], exposedHeaders },
  ]
}

/** Where results are, below `results/`; emptied by itself. */
export class ResultsBucket extends PrivateBucket {
  constructor(scope: Construct, id: string, { stage }: { readonly stage: Stage }) {
    super(scope, id, {
      stage,
      // A job's retention is checked on every read. Files expire two days later, so that no listed file is missing.
      lifecycleRules: [{ prefix: resultsPrefix, expiration: Duration.days(stage.retentionDays + 2) }],
      cors: allowReading(stage.corsOrigins),
    })
  }

  /**
   * Lets a function start queries that write results: Athena checks whether the prefix is empty (ListBucket, and HEAD,
   * which `s3:GetObject` allows) and uploads in parts. Source: Athena user guide, "AWS managed policies".
   */
  grantUnload(grantee: IGrantable): void {
    const actions = ['s3:GetObject', 's3:PutObject', 's3:AbortMultipartUpload', 's3:ListMultipartUploadParts']
    this.allow(grantee, actions, this.results)
    this.allow(grantee, ['s3:ListBucket', 's3:GetBucketLocation', 's3:ListBucketMultipartUploads'], this.bucketArn)
    this.encryptionKey?.grantEncryptDecrypt(grantee)
  }

  /** Lets a function read results. */
  grantReadResults(grantee: IGrantable): void {
    this.allow(grantee, ['s3:GetObject'], this.results)
    this.encryptionKey?.grantDecrypt(grantee)
  }

  /** Lets a function write result files. */
  grantWriteResults(grantee: IGrantable): void {
    this.allow(grantee, ['s3:PutObject'], this.results)
    this.encryptionKey?.grantEncrypt(grantee)
  }

  /** Lets a function list and delete results, but not read them. */
  grantRemoveResults(grantee: IGrantable): void {
    this.allow(grantee, ['s3:DeleteObject'], this.results)
    grantee.grantPrincipal.addToPrincipalPolicy(
      new PolicyStatement({
        actions: ['s3:ListBucket'],
        resources: [this.bucketArn],
        conditions: { StringLike: { 's3:prefix': `${resultsPrefix}*` } },
      }),
    )
  }

  private get results(): string {
    return this.arnForObjects(`${resultsPrefix}*`)
  }

  private allow(grantee: IGrantable, actions: string[], resource: string): void {
    grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ actions, resources: [resource] }))
  }
}
