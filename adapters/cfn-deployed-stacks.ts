import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'

/** What is deployed, as CloudFormation knows it. */
export interface DeployedStacks {
  /** Outputs of a stack by name; undefined where there is no such stack. */
  readOutputs(stackName: string): Promise<Readonly<Record<string, string>> | undefined>
}

/** Looks stacks up by the SDK's own settings. */
export function createDeployedStacks(client = new CloudFormationClient({})): DeployedStacks {
  return {
    readOutputs: async (stackName) => {
      try {
        const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: stackName }))
        const outputs = Stacks[0]?.Outputs ?? []
        return Object.fromEntries(outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]))
      } catch (error) {
        // CloudFormation has no error of its own for a stack that is not there.
        if (error instanceof Error && error.name === 'ValidationError') return undefined
        throw error
      }
    },
  }
}
