import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation'
import { commandRequests } from '../request-limits.ts'

/** A resource of a deployed stack. */
export interface StackResource {
  /** For example `AWS::Logs::LogGroup`. */
  readonly type: string
  /** Its name in the template: a construct's path and the CDK's hash. */
  readonly logicalId: string
  /** Its name in AWS: of a queue its URL. */
  readonly physicalId: string
}

/**
 * Lists the resources of a stack, in the account and region of the SDK's defaults.
 *
 * @throws whatever the SDK throws, also if there is no such stack
 */
export async function listStackResources(
  StackName: string,
  client = new CloudFormationClient(commandRequests),
): Promise<readonly StackResource[]> {
  const resources: StackResource[] = []
  for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName })) {
    for (const { ResourceType, LogicalResourceId, PhysicalResourceId } of StackResourceSummaries) {
      // A resource that is being created has no name in AWS yet.
      if (!ResourceType || !LogicalResourceId || !PhysicalResourceId) continue
      resources.push({ type: ResourceType, logicalId: LogicalResourceId, physicalId: PhysicalResourceId })
    }
  }
  return resources
}
