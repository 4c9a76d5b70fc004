import { setTimeout as sleep } from 'node:timers/promises'
import {
  CloudFormationClient,
  DeleteStackCommand,
  GetTemplateCommand,
  paginateDescribeStackEvents,
  UpdateTerminationProtectionCommand,
  waitUntilStackDeleteComplete,
} from '@aws-sdk/client-cloudformation'
import { commandRequests } from '../request-limits.ts'
import { requireFields } from '../require-fields.ts'
import { createDeployedStacks } from './cfn-deployed-stacks.ts'

/** A change of a resource of a stack, or of the stack itself. */
export interface StackEvent {
  readonly logicalId: string
  /** The name or ARN of the resource; empty before it has one. */
  readonly physicalId: string
  readonly type: string
  /** The state that it reached, such as `CREATE_COMPLETE`. */
  readonly status: string
  readonly reason?: string
}

/** Seconds that CloudFormation may take to delete a stack. */
const maxDeletion = 3600

/** Reads the history of stacks, and changes them, in the account and region of the SDK's defaults. */
export function createStackChanges(client = new CloudFormationClient(commandRequests)) {
  return {
    /** Returns the template that a stack was deployed with, as text. */
    readTemplate: async (stack: string): Promise<string> => {
      const { TemplateBody } = await client.send(
        new GetTemplateCommand({ StackName: stack, TemplateStage: 'Original' }),
      )
      if (TemplateBody === undefined) throw new TypeError(`CloudFormation returned no template of ${stack}`)
      return TemplateBody
    },
    /**
     * Lists what happened to a stack and its resources, the oldest first. CloudFormation keeps 90 days of it.
     *
     * @param stackId its ARN: an earlier stack of the same name has events of its own
     */
    listEvents: async (stackId: string): Promise<readonly StackEvent[]> => {
      const events: StackEvent[] = []
      for await (const page of paginateDescribeStackEvents({ client }, { StackName: stackId })) {
        for (const event of page.StackEvents ?? []) {
          requireFields(event, ['LogicalResourceId', 'ResourceType', 'ResourceStatus'], 'CloudFormation')
          // A resource has no physical id before it is created.
          const { LogicalResourceId, PhysicalResourceId = '', ResourceType, ResourceStatus } = event
          const reason = event.ResourceStatusReason
          events.push({
            logicalId: LogicalResourceId,
            physicalId: PhysicalResourceId,
            type: ResourceType,
            status: ResourceStatus,
            ...(reason !== undefined && { reason }),
          })
        }
      }
      return events.reverse()
    },
    /** Takes the termination protection of a stack back. */
    unprotect: async (stack: string): Promise<void> => {
      await client.send(
        new UpdateTerminationProtectionCommand({ StackName: stack, EnableTerminationProtection: false }),
      )
    },
    /**
     * Deletes a stack, and waits until CloudFormation has ended.
     *
     * @param stackId its ARN, by which it can be described after its deletion
     * @returns true if the stack is gone, false if CloudFormation could not delete it or has not done so within an hour
     */
    deleteStack: async (stackId: string): Promise<boolean> => {
      await client.send(new DeleteStackCommand({ StackName: stackId }))
      const wait = { client, maxWaitTime: maxDeletion, minDelay: 2, maxDelay: 10 }
      try {
        await waitUntilStackDeleteComplete(wait, { StackName: stackId })
        return true
      } catch (error) {
        if (!(error instanceof Error && /DELETE_FAILED|TimeoutError/.test(`${error.name} ${error.message}`)))
          throw error
        // A stack can show a failed deletion for a moment, and be gone in the next.
        await sleep(2000)
        const stack = await createDeployedStacks(client).find(stackId)
        return stack === undefined || stack.status === 'DELETE_COMPLETE'
      }
    },
  }
}
