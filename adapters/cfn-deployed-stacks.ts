import { CloudFormationClient, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation'

/** Stacks deployed with CloudFormation. */
export interface DeployedStacks {
  /** Returns a stack's outputs by name, or undefined if the stack does not exist. */
  readOutputs(stackName: string): Promise<Readonly<Record<string, string>> | undefined>
  /** Whether a stack exists and is protected from deletion. */
  isProtected(stackName: string): Promise<boolean>
}

/** Looks up stacks in the account and region of the SDK's defaults. */
export function createDeployedStacks(client = new CloudFormationClient({})): DeployedStacks {
  const find = async (stackName: string): Promise<Partial<Stack> | undefined> => {
    try {
      const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: stackName }))
      return Stacks[0] ?? {}
    } catch (error) {
      // CloudFormation has no specific error for a missing stack.
      if (error instanceof Error && error.name === 'ValidationError') return undefined
      throw error
    }
  }
  return {
    readOutputs: async (stackName) => {
      const stack = await find(stackName)
      const outputs = stack?.Outputs ?? []
      return (
        stack && Object.fromEntries(outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]))
      )
    },
    isProtected: async (stackName) => (await find(stackName))?.EnableTerminationProtection === true,
  }
}
