import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'

/** Stacks deployed with CloudFormation. */
export interface DeployedStacks {
  /** Returns a stack's outputs by name, or undefined if the stack does not exist. */
  readOutputs(stackName: string): Promise<Readonly<Record<string, string>> | undefined>
}

/** Looks up stacks in the account and region of the SDK's defaults. */
export function createDeployedStacks(client = new CloudFormationClient({})): DeployedStacks {
  return {
    readOutputs: async (stackName) => {
      try {
        const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: stackName }))
        const outputs = Stacks[0]?.Outputs ?? []
        return Object.fromEntries(outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]))
      } catch (error) {
        // CloudFormation has no specific error for a missing stack.
        if (error instanceof Error && error.name === 'ValidationError') return undefined
        throw error
      }
    },
  }
}
