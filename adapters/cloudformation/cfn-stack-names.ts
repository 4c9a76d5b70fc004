import { CloudFormationClient, paginateDescribeStacks } from '@aws-sdk/client-cloudformation'
import { commandRequests } from '../request-limits.ts'

/** Lists the names of all stacks in the account and region of the SDK's defaults. */
export async function listStackNames(client = new CloudFormationClient(commandRequests)): Promise<readonly string[]> {
  const names: string[] = []
  for await (const { Stacks = [] } of paginateDescribeStacks({ client }, {}))
    for (const { StackName } of Stacks) if (StackName !== undefined) names.push(StackName)
  return names
}
