import { ExecutionAlreadyExists, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn'
import { executionName } from '../core/job.ts'
import type { Workflow } from '../core/ports.ts'

/** Starts executions of one state machine by the SDK's own settings. */
export function createSfnWorkflow(stateMachineArn: string, client = new SFNClient({})): Workflow {
  return {
    start: async ({ orgId, jobId, run }) => {
      const name = executionName({ orgId, jobId, run })
      try {
        await client.send(
          new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify({ orgId, jobId, run }) }),
        )
        return { outcome: 'started' }
      } catch (error) {
        if (error instanceof ExecutionAlreadyExists) return { outcome: 'started' }
        return { outcome: 'not-started', cause: error instanceof Error ? error.name : 'unknown' }
      }
    },
  }
}
