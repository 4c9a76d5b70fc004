import {
  CloudWatchLogsClient,
  GetQueryResultsCommand,
  type ResultField,
  StartQueryCommand,
  StopQueryCommand,
} from '@aws-sdk/client-cloudwatch-logs'
import { commandRequests } from '../request-limits.ts'

/** A query of CloudWatch Logs Insights over a stretch of time. */
export interface LogQuery {
  /** Names of log groups, at most 50. */
  readonly logGroups: readonly string[]
  readonly statement: string
  readonly from: Date
  readonly to: Date
}

/** One row of a result: its fields by their names. */
export type LogRow = Readonly<Record<string, string>>

export interface LogQueryState {
  /** `Scheduled`, `Running`, `Complete`, or how the query failed. */
  readonly status: string
  readonly rows: readonly LogRow[]
  /** Lines that the statement's filters match; undefined until it is known. */
  readonly matches?: number
  readonly bytesScanned?: number
}

/** Runs queries in the account and region of the SDK's defaults. */
export interface LogQueries {
  /** @returns the id of the query */
  start(query: LogQuery): Promise<string>
  read(queryId: string): Promise<LogQueryState>
  stop(queryId: string): Promise<void>
}

/** Most log groups that a query can name. Source: CloudWatch Logs API, StartQuery. */
export const maxLogGroups = 50

/** Queries logs with CloudWatch Logs Insights. */
export function createLogQueries(client = new CloudWatchLogsClient(commandRequests)): LogQueries {
  return {
    start: async ({ logGroups, statement, from, to }) => {
      const { queryId } = await client.send(
        new StartQueryCommand({
          logGroupNames: [...logGroups],
          queryString: statement,
          startTime: Math.floor(from.getTime() / 1000),
          endTime: Math.ceil(to.getTime() / 1000),
        }),
      )
      if (!queryId) throw new TypeError('CloudWatch Logs named no query')
      return queryId
    },

    read: async (queryId) => {
      const { status, results = [], statistics } = await client.send(new GetQueryResultsCommand({ queryId }))
      const { recordsMatched, bytesScanned } = statistics ?? {}
      return {
        status: status ?? 'Unknown',
        rows: results.map(readRow),
        ...(recordsMatched !== undefined && { matches: recordsMatched }),
        ...(bytesScanned !== undefined && { bytesScanned }),
      }
    },

    stop: async (queryId) => {
      await client.send(new StopQueryCommand({ queryId }))
    },
  }
}

const readRow = (fields: readonly ResultField[]): LogRow =>
  Object.fromEntries(fields.flatMap(({ field, value }) => (field === undefined ? [] : [[field, value ?? '']])))
