import { Stack } from 'aws-cdk-lib'
import type { Role } from 'aws-cdk-lib/aws-iam'
import { allow } from '../functions/allow.ts'

/**
 * Allows a task's execution role to pull an image from a private registry of ECR. Images of other registries need no
 * rights. Source: Amazon ECR user guide, "Using Amazon ECR images with Amazon ECS".
 */
export function grantPull(executionRole: Role, image: string): void {
  const [, account, region, repository] =
    /^(\d{12})\.dkr\.ecr\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?\/([^:@]+)/.exec(image) ?? []
  if (account === undefined || region === undefined || repository === undefined) return
  const arn = Stack.of(executionRole).formatArn({
    service: 'ecr',
    account,
    region,
    resource: 'repository',
    resourceName: repository,
  })
  const pull = ['ecr:BatchCheckLayerAvailability', 'ecr:BatchGetImage', 'ecr:GetDownloadUrlForLayer']
  allow(executionRole, pull, [arn])
  allow(executionRole, ['ecr:GetAuthorizationToken'], ['*'])
}
