import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import { Key } from 'aws-cdk-lib/aws-kms'
import type { CorsRule, LifecycleRule } from 'aws-cdk-lib/aws-s3'
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3'
import type { Construct } from 'constructs'
import type { Stage } from '../stage/stage.ts'

export interface PrivateBucketProps {
  /** The stage, which says whether the bucket outlives it and which key encrypts it. */
  readonly stage: Stage
  /** Rules by which objects expire. @default - objects do not expire */
  readonly lifecycleRules?: readonly LifecycleRule[]
  /**
   * Days for which deleted or replaced objects can be brought back, unless the stage is disposable.
   *
   * @default - none, they are gone at once
   */
  readonly recoveryDays?: number
  /** CORS rules. @default - none */
  readonly cors?: readonly CorsRule[]
}

/** A private bucket: encrypted, only over TLS, never public. */
export class PrivateBucket extends Bucket {
  constructor(
    scope: Construct,
    id: string,
    { stage, lifecycleRules = [], recoveryDays, cors = [] }: PrivateBucketProps,
  ) {
    const isVersioned = recoveryDays !== undefined && !stage.disposable
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
      cors: [...cors],
      ...(isVersioned && { versioned: true }),
      lifecycleRules: [
        ...lifecycleRules,
        // A deleted object leaves a marker, which goes with its last version.
        ...(isVersioned
          ? [{ noncurrentVersionExpiration: Duration.days(recoveryDays), expiredObjectDeleteMarker: true }]
          : []),
        // Cancelled Athena queries leave incomplete multipart uploads.
        { abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
    })
    // A bucket that outlives its stage still refuses plain HTTP.
    this.policy?.applyRemovalPolicy(keepUnlessDisposable(stage))
  }
}

/**
 * Keeps a stage's data when the stage is destroyed, unless it is disposable. Resources of a first deployment that is
 * rolled back are deleted.
 */
export function keepUnlessDisposable({ disposable }: Pick<Stage, 'disposable'>): RemovalPolicy {
  return disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
}
