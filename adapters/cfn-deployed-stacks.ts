import { CloudFormationClient, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation'

/** Looks up stacks of CloudFormation in the account and region of the SDK's defaults. */
export function createDeployedStacks(client = new CloudFormationClient({})) {
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
    /** Returns a stack's outputs by name, or undefined if the stack does not exist. */
    readOutputs: async (stackName: string): Promise<Readonly<Record<string, string>> | undefined> => {
      const stack = await find(stackName)
      const outputs = stack?.Outputs ?? []
      return (
        stack && Object.fromEntries(outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]))
      )
    },
    /** Whether a stack exists and is protected from deletion. */
    isProtected: async (stackName: string) => (await find(stackName))?.EnableTerminationProtection === true,
  }
}
