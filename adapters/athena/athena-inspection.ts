import {
  AthenaClient,
  BatchGetQueryExecutionCommand,
  GetQueryResultsCommand,
  ListQueryExecutionsCommand,
} from '@aws-sdk/client-athena'
import { commandRequests } from '../request-limits.ts'
import { requireFields } from '../require-fields.ts'

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
      requireFields(query, ['QueryExecutionId', 'Query', 'Status', 'Statistics'], 'Athena')
      const { QueryExecutionId, Query, Status, Statistics } = query
      requireFields(Status, ['SubmissionDateTime', 'CompletionDateTime'], 'Athena')
      requireFields(Statistics, ['DataScannedInBytes', 'EngineExecutionTimeInMillis'], 'Athena')
      return {
        queryId: QueryExecutionId,
        statement: Query,
        submittedAt: Status.SubmissionDateTime,
        endedAt: Status.CompletionDateTime,
        bytesScanned: Statistics.DataScannedInBytes,
        // A query that had neither to wait nor to be planned has no time of it.
        queueMs: Statistics.QueryQueueTimeInMillis ?? 0,
        planningMs: Statistics.QueryPlanningTimeInMillis ?? 0,
        engineMs: Statistics.EngineExecutionTimeInMillis,
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
