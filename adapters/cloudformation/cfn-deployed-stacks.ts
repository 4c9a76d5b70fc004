import { CloudFormationClient, DescribeStacksCommand, type Stack } from '@aws-sdk/client-cloudformation'
import { commandRequests } from '../request-limits.ts'
import { requireFields } from '../require-fields.ts'

/** A stack of CloudFormation, as it is now. */
export interface DeployedStack {
  readonly name: string
  /** Its ARN, which tells it from an earlier stack of the same name. */
  readonly id: string
  /** Its state, such as `UPDATE_COMPLETE`. */
  readonly status: string
  /** The reason for its state, if CloudFormation gives one. */
  readonly reason?: string
  /** Its creation began then. */
  readonly createdAt: Date
  /** Its latest change began then; undefined if it was only created. */
  readonly updatedAt?: Date
  /** Its termination protection. */
  readonly isProtected: boolean
  readonly outputs: Readonly<Record<string, string>>
}

/** Looks up stacks of CloudFormation in the account and region of the SDK's defaults. */
export function createDeployedStacks(client = new CloudFormationClient(commandRequests)) {
  return {
    /** Returns a stack, or undefined if there is none of this name. */
    find: async (stackName: string): Promise<DeployedStack | undefined> => {
      try {
        const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: stackName }))
        const [stack] = Stacks
        if (stack === undefined) throw new TypeError(`CloudFormation did not describe ${stackName}`)
        return readStack(stack)
      } catch (error) {
        // CloudFormation has no specific error for a missing stack.
        if (error instanceof Error && error.name === 'ValidationError') return undefined
        throw error
      }
    },
  }
}

function readStack(stack: Stack): DeployedStack {
  requireFields(stack, ['StackName', 'StackId', 'StackStatus', 'CreationTime'], 'CloudFormation')
  const { StackName, StackId, StackStatus, StackStatusReason, CreationTime, LastUpdatedTime } = stack
  const outputs = (stack.Outputs ?? []).map((output) => {
    requireFields(output, ['OutputKey', 'OutputValue'], 'CloudFormation')
    return [output.OutputKey, output.OutputValue]
  })
  return {
    name: StackName,
    id: StackId,
    status: StackStatus,
    ...(StackStatusReason !== undefined && { reason: StackStatusReason }),
    createdAt: CreationTime,
    ...(LastUpdatedTime !== undefined && { updatedAt: LastUpdatedTime }),
    isProtected: stack.EnableTerminationProtection === true,
    outputs: Object.fromEntries(outputs),
  }
}
