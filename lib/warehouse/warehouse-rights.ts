import { Aws, Stack } from 'aws-cdk-lib'
import type { IGrantable } from 'aws-cdk-lib/aws-iam'
import type { IConstruct } from 'constructs'

/** A function, a step of loads, or a role that an operator assumes. */
export type Grantee = IGrantable & IConstruct

/** A resource in the account and region of the grantee. */
export const arnOf = (grantee: Grantee, service: string, resource: string) =>
  Stack.of(grantee).formatArn({ service, resource })

const withoutScheme = (location: string) => location.replace(/^s3:\/\//, '')

/** The objects below a location, `s3://bucket/prefix/`. */
export const objectsArn = (location: string) =>
  `arn:${Aws.PARTITION}:s3:::${withoutScheme(location).replace(/\/?$/, '/*')}`

/** The bucket of a location. */
export const bucketArn = (location: string) => `arn:${Aws.PARTITION}:s3:::${withoutScheme(location).split('/')[0]}`
