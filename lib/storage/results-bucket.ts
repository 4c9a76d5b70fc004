import { Duration, Stack } from 'aws-cdk-lib'
import { type IGrantable, type IPrincipal, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam'
import { type CorsRule, HttpMethods } from 'aws-cdk-lib/aws-s3'
import type { Construct } from 'constructs'
import { resultsPrefix } from '../../schema/workflow-step.ts'
import { allow } from '../functions/allow.ts'
import { allowKeys } from '../functions/allow-key.ts'
import type { Use } from '../functions/service-function.ts'
import type { Stage } from '../stage/stage.ts'
import { PrivateBucket } from './private-bucket.ts'

/** Allows pages to read files by Range. A page learns the size of a file only from exposed headers. */
function allowReading(origins: readonly string[]): readonly CorsRule[] {
  const exposedHeaders = ['Content-Range', 'Content-Length', 'ETag']
  return [
    { allowedMethods: [HttpMethods.GET], allowedOrigins: [...origins], allowedHeaders: ['Range'], exposedHeaders },
  ]
}

/** The bucket of results, below `results/`; objects expire. */
export class ResultsBucket extends PrivateBucket {
  /** The role that signs download URLs; created for the first function that signs. */
  private signer: Role | undefined
  private readonly keyArns: readonly string[]

  /** @param pageOrigin origin of the service's own page, which reads results by their URLs */
  constructor(scope: Construct, id: string, stage: Stage, pageOrigin: string) {
    super(scope, id, {
      stage,
      // A job's retention is checked on every read. Files expire two days later, so that no listed file is missing.
      lifecycleRules: [{ prefix: resultsPrefix, expiration: Duration.days(stage.retentionDays + 2) }],
      cors: allowReading([pageOrigin, ...stage.corsOrigins]),
    })
    this.keyArns = stage.encryptionKeyArn === undefined ? [] : [stage.encryptionKeyArn]
  }

  /** Sets the variable that names the bucket, without any right. */
  readonly name: Use = (user) => user.setVariables({ RESULTS_BUCKET: this.bucketName })

  /**
   * Starts queries that write results. Athena checks that the prefix is empty (ListBucket, and HEAD, which
   * `s3:GetObject` allows) and uploads in parts. Source: Athena user guide, "AWS managed policies".
   */
  readonly unload: Use = (user) => {
    user.setVariables({ RESULTS_BUCKET: this.bucketName })
    const actions = ['s3:GetObject', 's3:PutObject', 's3:AbortMultipartUpload', 's3:ListMultipartUploadParts']
    allow(user, actions, this.results)
    allow(user, ['s3:ListBucket', 's3:GetBucketLocation', 's3:ListBucketMultipartUploads'], [this.bucketArn])
    allowKeys(user, 'read and write files', this.keyArns)
  }

  /** Reads result files, and writes the file of a search without rows. */
  readonly publish: Use = (user) => {
    user.setVariables({ RESULTS_BUCKET: this.bucketName })
    this.grantReadResults(user)
    allow(user, ['s3:PutObject'], this.results)
    allowKeys(user, 'write files', this.keyArns)
  }

  /** Reads result files, and nothing else. */
  readonly readResults: Use = (user) => {
    user.setVariables({ RESULTS_BUCKET: this.bucketName })
    this.grantReadResults(user)
  }

  /** Lists and deletes results, but does not read them. */
  readonly removeResults: Use = (user) => {
    user.setVariables({ RESULTS_BUCKET: this.bucketName })
    allow(user, ['s3:DeleteObject'], this.results)
    allow(user, ['s3:ListBucket'], [this.bucketArn], { StringLike: { 's3:prefix': `${resultsPrefix}*` } })
  }

  /** Signs download URLs. The function itself cannot read results; only the role with which it signs can. */
  readonly signDownloads: Use = (user) => {
    const signer = this.trustAsSigner(user.grantPrincipal)
    signer.grantAssumeRole(user.grantPrincipal)
    user.setVariables({ RESULTS_BUCKET: this.bucketName, SIGNING_ROLE_ARN: signer.roleArn })
  }

  /** Returns the signing role after it trusts the function's role. */
  private trustAsSigner(principal: IPrincipal): Role {
    if (this.signer !== undefined) {
      this.signer.assumeRolePolicy?.addStatements(
        new PolicyStatement({ actions: ['sts:AssumeRole'], principals: [principal] }),
      )
      return this.signer
    }
    this.signer = new Role(Stack.of(this), 'SignDownloads', { assumedBy: principal })
    this.grantReadResults(this.signer)
    return this.signer
  }

  private grantReadResults(grantee: IGrantable): void {
    allow(grantee, ['s3:GetObject'], this.results)
    allowKeys(grantee, 'read files', this.keyArns)
  }

  private get results(): readonly string[] {
    return [this.arnForObjects(`${resultsPrefix}*`)]
  }
}
