import type { IGrantable } from 'aws-cdk-lib/aws-iam'
import { allow } from './allow.ts'

/**
 * Uses of data that is encrypted with a key, the service that uses the key for it, and the actions that it needs.
 * Source: Amazon S3 User Guide, "Required permissions" of SSE-KMS; DynamoDB developer guide, "Usage notes" of
 * encryption at rest; Athena user guide, "Configure access from Athena to encrypted metadata in the AWS Glue Data
 * Catalog".
 */
const keyUses = {
  'read files': { service: 's3', actions: ['kms:Decrypt'] },
  'write files': { service: 's3', actions: ['kms:GenerateDataKey'] },
  // A part of an upload is decrypted when the parts are put together.
  'read and write files': { service: 's3', actions: ['kms:Decrypt', 'kms:GenerateDataKey'] },
  'use tables': {
    service: 'dynamodb',
    actions: ['kms:Decrypt', 'kms:Encrypt', 'kms:ReEncrypt*', 'kms:GenerateDataKey*'],
  },
  'use the data catalog': { service: 'glue', actions: ['kms:Decrypt', 'kms:Encrypt', 'kms:GenerateDataKey'] },
} as const

/**
 * Allows the use of keys, but only through the service that stores the data: a role cannot decrypt anything else that
 * was encrypted with the key. Source: KMS developer guide, "kms:ViaService".
 *
 * @param keyArns ARNs of keys, not of aliases; a service calls a key in the key's own region
 */
export function allowKeys(grantee: IGrantable, use: keyof typeof keyUses, keyArns: readonly string[]): void {
  const { service, actions } = keyUses[use]
  for (const [region, arns] of Map.groupBy(keyArns, readRegion))
    allow(grantee, [...actions], arns, { StringEquals: { 'kms:ViaService': `${service}.${region}.amazonaws.com` } })
}

function readRegion(keyArn: string): string {
  const [, , , region] = keyArn.split(':')
  if (region === undefined || region === '') throw new TypeError(`not the ARN of a key: ${keyArn}`)
  return region
}
