import { Aspects, Aws, CfnResource, TagManager, Tags } from 'aws-cdk-lib'
import type { IConstruct } from 'constructs'
import type { Stage } from './stage.ts'
import { stageTag } from './stage-values.ts'

/** The settings that hold for every resource of a kind, because accounts demand them. */
export type ResourceRules = Pick<Stage, 'name' | 'tags' | 'permissionsBoundary' | 'rolePath'>

/** Types of resources that the CDK adds for functions of its own, in a form that it does not tag. */
const untypedResources = /^AWS::(IAM::Role|Lambda::Function)$/

/**
 * Applies the rules of a stage to all resources below a construct, including those that the CDK adds for its own
 * functions.
 */
export function applyRules(scope: IConstruct, stage: ResourceRules): void {
  const tags = tagsOf(stage)
  for (const [key, value] of Object.entries(tags)) Tags.of(scope).add(key, value)
  const tagList = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }))
  const roleProperties = Object.entries({ PermissionsBoundary: findBoundary(stage), Path: stage.rolePath })
  const visit = (node: IConstruct) => {
    if (!CfnResource.isCfnResource(node)) return
    const type = node.cfnResourceType
    if (untypedResources.test(type) && TagManager.of(node) === undefined) node.addPropertyOverride('Tags', tagList)
    if (type !== 'AWS::IAM::Role') return
    for (const [name, value] of roleProperties) if (value !== undefined) node.addPropertyOverride(name, value)
  }
  Aspects.of(scope).add({ visit })
}

/**
 * Returns the tags of each resource of a stage, by which bills and budgets can tell it from the rest of an account.
 * There is no tag of the version: it would change every resource with each upgrade. A tag `Service` of the operator
 * replaces the service's own, because IAM takes the two for one.
 */
function tagsOf({ name, tags = {} }: ResourceRules): Readonly<Record<string, string>> {
  const isService = Object.keys(tags).some((key) => key.toLowerCase() === 'service')
  return { ...(!isService && { service: 'rate-search' }), [stageTag]: name, ...tags }
}

/** Returns the ARN of the policy that bounds all roles; a stage may name a policy of the account by its name. */
function findBoundary({ permissionsBoundary: policy }: ResourceRules): string | undefined {
  if (policy === undefined || policy.startsWith('arn:')) return policy
  return `arn:${Aws.PARTITION}:iam::${Aws.ACCOUNT_ID}:policy/${policy}`
}
