import {
  DescribeExecutionCommand,
  paginateListExecutions,
  SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn'
import * as v from 'valibot'

/** The executions of the workflow of loads. */
export interface LoadExecutions {
  /** @param name unique for 90 days */
  start(name: string, load: { readonly loadId: string; readonly workers: number }): Promise<void>
  /** The running execution of a load, however it was started; undefined if there is none. */
  findRunning(loadId: string): Promise<string | undefined>
  /** Stops an execution, and with it the job that it waits for. */
  stop(executionArn: string): Promise<void>
}

const inputSchema = v.pipe(v.string(), v.parseJson(), v.object({ loadId: v.string() }))

export function createLoadExecutions(stateMachineArn: string, client = new SFNClient({})): LoadExecutions {
  return {
    start: async (name, { loadId, workers }) => {
      // What to load is stored with the load: addresses may be signed, and histories are kept for 90 days.
      const input = JSON.stringify({ loadId, workers, order: {} })
      await client.send(new StartExecutionCommand({ stateMachineArn, name, input }))
    },

    findRunning: async (loadId) => {
      const pages = paginateListExecutions({ client }, { stateMachineArn, statusFilter: 'RUNNING' })
      for await (const { executions = [] } of pages) {
        for (const { executionArn } of executions) {
          const { input } = await client.send(new DescribeExecutionCommand({ executionArn }))
          if (v.parse(inputSchema, input).loadId === loadId) return executionArn
        }
      }
      return undefined
    },

    stop: async (executionArn) => {
      await client.send(new StopExecutionCommand({ executionArn, cause: 'cancelled by npm run loads -- cancel' }))
    },
  }
}
