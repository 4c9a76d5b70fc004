import { DescribeExecutionCommand, ExecutionAlreadyExists, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn'
import { executionName } from '../core/job/job.ts'
import type { WatchedWorkflow } from '../core/workflow/ports.ts'
import { shortRequests } from './request-limits.ts'

/** Starts and describes executions of one state machine. */
export function createSfnWorkflow(stateMachineArn: string, client = new SFNClient(shortRequests)): WatchedWorkflow {
  return {
    start: async ({ orgId, jobId, run }) => {
      const name = executionName({ orgId, jobId, run })
      try {
        await client.send(
          new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify({ orgId, jobId, run }) }),
        )
        return { outcome: 'started' }
      } catch (error) {
        if (error instanceof ExecutionAlreadyExists) return { outcome: 'name-taken' }
        return { outcome: 'not-started', cause: error instanceof Error ? error.name : 'unknown' }
      }
    },

    isRunning: async (job) => {
      const executionArn = `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${executionName(job)}`
      const { status } = await client.send(new DescribeExecutionCommand({ executionArn }))
      return status === 'RUNNING'
    },
  }
}
