import { Aws, Stack } from 'aws-cdk-lib'
import type { IGrantable } from 'aws-cdk-lib/aws-iam'
import type { IConstruct } from 'constructs'

/** A function, a step of loads, or a role that an operator assumes. */
export type Grantee = IGrantable & IConstruct

/** Returns the ARN of a resource in the account and region of the grantee. */
export const arnOf = (grantee: Grantee, service: string, resource: string) =>
  Stack.of(grantee).formatArn({ service, resource })

const withoutScheme = (location: string) => location.replace(/^s3:\/\//, '')

/** Returns the ARN of the objects below a location, `s3://bucket/prefix/`. */
export const objectsArn = (location: string) =>
  `arn:${Aws.PARTITION}:s3:::${withoutScheme(location).replace(/\/?$/, '/*')}`

/** Returns the ARN of a location's bucket. */
export const bucketArn = (location: string) => `arn:${Aws.PARTITION}:s3:::${withoutScheme(location).split('/')[0]}`
