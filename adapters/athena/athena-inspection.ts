import {
  AthenaClient,
  BatchGetQueryExecutionCommand,
  GetQueryResultsCommand,
  ListQueryExecutionsCommand,
} from '@aws-sdk/client-athena'
import { commandRequests } from '../request-limits.ts'

/** A query that has ended, with Athena's own measurements. */
export interface InspectedQuery {
  readonly queryId: string
  readonly statement: string
  readonly submittedAt: Date
  readonly endedAt: Date
  readonly bytesScanned: number
  /** Durations in milliseconds; 0 if Athena does not state one. */
  readonly queueMs: number
  readonly planningMs: number
  readonly engineMs: number
}

/** Number of a workgroup's latest queries that are looked through: the most that one call describes. */
const latestQueries = 50

/** Inspects queries of a workgroup for measurements, in the account and region of the SDK's defaults. */
export function createAthenaInspection(workGroup: string, client = new AthenaClient(commandRequests)) {
  return {
    /** Finds the latest query whose statement contains a text; undefined if none of the last fifty does. */
    findQuery: async (text: string): Promise<InspectedQuery | undefined> => {
      const { QueryExecutionIds = [] } = await client.send(
        new ListQueryExecutionsCommand({ WorkGroup: workGroup, MaxResults: latestQueries }),
      )
      if (QueryExecutionIds.length === 0) return undefined
      const { QueryExecutions = [] } = await client.send(new BatchGetQueryExecutionCommand({ QueryExecutionIds }))
      const query = QueryExecutions.find(({ Query }) => Query?.includes(text))
      if (query === undefined) return undefined
      const { QueryExecutionId = '', Query = '', Status, Statistics } = query
      return {
        queryId: QueryExecutionId,
        statement: Query,
        submittedAt: Status?.SubmissionDateTime ?? new Date(0),
        endedAt: Status?.CompletionDateTime ?? new Date(0),
        bytesScanned: Statistics?.DataScannedInBytes ?? 0,
        queueMs: Statistics?.QueryQueueTimeInMillis ?? 0,
        planningMs: Statistics?.QueryPlanningTimeInMillis ?? 0,
        engineMs: Statistics?.EngineExecutionTimeInMillis ?? 0,
      }
    },

    /** Reads the lines that a finished EXPLAIN has returned, without the name of its column. */
    readPlan: async (QueryExecutionId: string): Promise<readonly string[]> => {
      const { ResultSet } = await client.send(new GetQueryResultsCommand({ QueryExecutionId, MaxResults: 1000 }))
      const lines = (ResultSet?.Rows ?? []).map(({ Data = [] }) => Data[0]?.VarCharValue ?? '')
      return lines[0] === 'Query Plan' ? lines.slice(1) : lines
    },
  }
}
