import type { QueryExecution } from '@aws-sdk/client-athena'
import {
  AthenaClient,
  GetQueryExecutionCommand,
  InvalidRequestException,
  StartQueryExecutionCommand,
  StopQueryExecutionCommand,
} from '@aws-sdk/client-athena'
import type { Queries, QueryState } from '../core/ports.ts'
import { classifyFailure } from './athena-failures.ts'

export interface AthenaSettings {
  readonly workGroup: string
  readonly database: string
  /** `s3://bucket/prefix/` for results. @default - the workgroup's own */
  readonly output?: string
}

/**
 * How Athena says that it has no room: the modelled error is the quota of running queries, the other one the rate of
 * calls, which the API's model does not know.
 */
const throttlingErrors = ['TooManyRequestsException', 'ThrottlingException']

/** What Athena says of a token that was used with another statement. */
const tokenUsed = 'IDEMPOTENT_PARAMETER_MISMATCH'

/** Queries on Athena, by the SDK's own settings. */
export function createAthenaQueries(
  { workGroup, database, output }: AthenaSettings,
  client = new AthenaClient({}),
): Queries {
  return {
    start: async ({ statement, token }) => {
      try {
        const { QueryExecutionId: queryId } = await client.send(
          new StartQueryExecutionCommand({
            QueryString: statement,
            ClientRequestToken: token,
            WorkGroup: workGroup,
            QueryExecutionContext: { Database: database },
            ...(output !== undefined && { ResultConfiguration: { OutputLocation: output } }),
          }),
        )
        if (queryId === undefined) throw new TypeError('Athena gave no query id')
        return { outcome: 'started', queryId }
      } catch (error) {
        if (isThrottled(error)) return { outcome: 'throttled' }
        if (error instanceof InvalidRequestException && error.AthenaErrorCode === tokenUsed)
          return { outcome: 'token-used' }
        throw new QueryNotStarted(error)
      }
    },

    look: async (queryId) => {
      try {
        const { QueryExecution } = await client.send(new GetQueryExecutionCommand({ QueryExecutionId: queryId }))
        return describeState(QueryExecution)
      } catch (error) {
        if (isThrottled(error)) return { state: 'running' }
        throw error
      }
    },

    stop: async (queryId) => {
      try {
        await client.send(new StopQueryExecutionCommand({ QueryExecutionId: queryId }))
      } catch (error) {
        // A query that Athena does not know any more cannot run.
        if (!(error instanceof InvalidRequestException)) throw error
      }
    },
  }
}

/** Athena refused the statement, or could not be reached. */
export class QueryNotStarted extends Error {
  override readonly name = 'QueryNotStarted'
  constructor(cause: unknown) {
    super(`Athena did not start the query: ${cause instanceof Error ? cause.message : 'unknown'}`, { cause })
  }
}

function describeState(query: QueryExecution | undefined): QueryState {
  const { State, StateChangeReason: reason = '', AthenaError: error } = query?.Status ?? {}
  switch (State) {
    case 'SUCCEEDED':
      return { state: 'succeeded', manifest: query?.Statistics?.DataManifestLocation }
    case 'FAILED':
    case 'CANCELLED':
      return { state: 'failed', fault: classifyFailure(reason, error), reason }
    default:
      return { state: 'running' }
  }
}

const isThrottled = (error: unknown) => error instanceof Error && throttlingErrors.includes(error.name)
