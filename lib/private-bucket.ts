import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import { Key } from 'aws-cdk-lib/aws-kms'
import type { LifecycleRule } from 'aws-cdk-lib/aws-s3'
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3'
import type { Construct } from 'constructs'
import type { Stage } from './stage.ts'

export interface PrivateBucketProps {
  readonly stage: Stage
  /** @default - objects stay until they are removed */
  readonly lifecycleRules?: readonly LifecycleRule[]
}

/** A bucket that nobody outside reaches: encrypted, over TLS only, never public. */
export class PrivateBucket extends Bucket {
  constructor(scope: Construct, id: string, { stage, lifecycleRules = [] }: PrivateBucketProps) {
    super(scope, id, {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      ...(stage.encryptionKeyArn === undefined
        ? { encryption: BucketEncryption.S3_MANAGED }
        : { encryptionKey: Key.fromKeyArn(scope, `${id}Key`, stage.encryptionKeyArn), bucketKeyEnabled: true }),
      removalPolicy: keepUnlessDisposable(stage),
      autoDeleteObjects: stage.disposable,
      lifecycleRules: [
        ...lifecycleRules,
        // Athena uploads in parts, and leaves them when a query is cancelled.
        { abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
    })
  }
}

/** Keeps what a stage holds when it is destroyed. What a first deployment made goes if that deployment is rolled back. */
export function keepUnlessDisposable({ disposable }: Pick<Stage, 'disposable'>): RemovalPolicy {
  return disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
}
