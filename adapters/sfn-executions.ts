import {
  type ExecutionStatus,
  GetExecutionHistoryCommand,
  type HistoryEvent,
  ListExecutionsCommand,
  SFNClient,
} from '@aws-sdk/client-sfn'
import { commandRequests } from './request-limits.ts'
import { requireFields } from './require-fields.ts'

/** One run of a workflow. */
export interface WorkflowExecution {
  /** Unique; `<job id>-<run>` for a search. */
  readonly name: string
  readonly startedAt: Date
}

/** An event of an execution: entering a state, calling a function, a failure. */
export interface ExecutionEvent {
  readonly at: Date
  readonly type: string
  /** Output or error of the event, as JSON or text; empty if it has neither. */
  readonly detail: string
}

/** Reads the executions of a workflow, in the account and region of the SDK's defaults. */
export function createExecutions(stateMachineArn: string, client = new SFNClient(commandRequests)) {
  return {
    /** Lists executions in a state, the newest first. */
    list: async (statusFilter: ExecutionStatus, maxResults: number): Promise<readonly WorkflowExecution[]> => {
      const command = new ListExecutionsCommand({ stateMachineArn, statusFilter, maxResults })
      const { executions = [] } = await client.send(command)
      return executions.flatMap(({ name, startDate }) =>
        name === undefined || startDate === undefined ? [] : [{ name, startedAt: startDate }],
      )
    },

    /** Returns the last events of an execution, the newest last. */
    readLastEvents: async (name: string, maxResults: number): Promise<readonly ExecutionEvent[]> => {
      const executionArn = `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${name}`
      const { events = [] } = await client.send(
        new GetExecutionHistoryCommand({ executionArn, reverseOrder: true, maxResults, includeExecutionData: true }),
      )
      return events.map(describeEvent).reverse()
    },
  }
}

/** Each type of event has its details in a field of its own; they share the names of their parts. */
function describeEvent(event: HistoryEvent): ExecutionEvent {
  requireFields(event, ['timestamp', 'type'], 'Step Functions')
  const { timestamp, type, id: _, previousEventId: __, ...details } = event
  const detail = Object.values(details).flatMap((part): readonly string[] => {
    const { error, cause, output } = { error: undefined, cause: undefined, output: undefined, ...part }
    return [error, cause, output].filter((text) => typeof text === 'string')
  })
  return { at: timestamp, type, detail: detail.join(': ') }
}
