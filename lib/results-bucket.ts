import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3'
import type { Construct } from 'constructs'
import { resultsPrefix } from '../core/attempt.ts'
import type { Stage } from './stage.ts'

/** Where results are: private, encrypted, reached over TLS alone, and emptied by itself. */
export class ResultsBucket extends Bucket {
  constructor(scope: Construct, id: string, { stage }: { readonly stage: Stage }) {
    super(scope, id, {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      removalPolicy: stage.disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
      autoDeleteObjects: stage.disposable,
      lifecycleRules: [
        // A job's time is checked when it is read; the files go two days later, so that no listed one is missing.
        { prefix: resultsPrefix, expiration: Duration.days(stage.retentionDays + 2) },
        // Athena uploads in parts, and leaves them when a query is cancelled.
        { abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
    })
  }
}
