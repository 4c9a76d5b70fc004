import {
  DescribeExecutionCommand,
  paginateListExecutions,
  SFNClient,
  StartExecutionCommand,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn'
import * as v from 'valibot'
import { commandRequests } from './request-limits.ts'

const inputSchema = v.pipe(v.string(), v.parseJson(), v.object({ loadId: v.string() }))

/** The executions of the workflow of loads. */
export function createLoadExecutions(stateMachineArn: string, client = new SFNClient(commandRequests)) {
  return {
    /** @param name unique for 90 days */
    start: async (name: string, { loadId, workers }: { readonly loadId: string; readonly workers: number }) => {
      // The order stays out of the input: its addresses may be signed, and histories are kept for 90 days.
      const input = JSON.stringify({ loadId, workers, order: {} })
      await client.send(new StartExecutionCommand({ stateMachineArn, name, input }))
    },

    /** The running execution of a load, however it was started; undefined if there is none. */
    findRunning: async (loadId: string) => {
      const pages = paginateListExecutions({ client }, { stateMachineArn, statusFilter: 'RUNNING' })
      for await (const { executions = [] } of pages) {
        for (const { executionArn } of executions) {
          const { input } = await client.send(new DescribeExecutionCommand({ executionArn }))
          if (v.parse(inputSchema, input).loadId === loadId) return executionArn
        }
      }
      return undefined
    },

    /** Stops an execution, and with it the job that it waits for. */
    stop: async (executionArn: string) => {
      await client.send(new StopExecutionCommand({ executionArn, cause: 'cancelled by npm run loads -- cancel' }))
    },
  }
}
