import type { QueryExecution } from '@aws-sdk/client-athena'
import {
  AthenaClient,
  GetQueryExecutionCommand,
  InvalidRequestException,
  StartQueryExecutionCommand,
  StopQueryExecutionCommand,
} from '@aws-sdk/client-athena'
import type { Queries, QueryState } from '../../core/search/ports.ts'
import { PrintableError } from '../../schema/printable-error.ts'
import { longRequests, shortRequests } from '../request-limits.ts'
import { classifyFailure } from './athena-failures.ts'

export interface AthenaSettings {
  readonly workGroup: string
  readonly database: string
  /** `s3://bucket/prefix/` for results. @default - the workgroup's result location */
  readonly output?: string
}

/**
 * Errors that mean "try again later". The first is modelled and is the quota of running queries; the second is the
 * API's call rate limit, which the SDK's model does not include.
 */
const throttlingErrors = ['TooManyRequestsException', 'ThrottlingException']

/** Athena's error code for a client token that was already used with a different statement. */
const tokenUsed = 'IDEMPOTENT_PARAMETER_MISMATCH'

/**
 * Runs queries on Athena. Region and credentials come from the SDK's defaults.
 *
 * @param client @default - one that asks once for a start, because who is refused waits and asks again
 */
export function createAthenaQueries({ workGroup, database, output }: AthenaSettings, client?: AthenaClient): Queries {
  const starter = client ?? new AthenaClient({ ...longRequests, maxAttempts: 1 })
  return {
    ...createStartedQueries(client),

    start: async ({ statement, token }) => {
      try {
        const { QueryExecutionId: queryId } = await starter.send(
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
  }
}

/** Looks at and stops queries that were started, in whichever workgroup. */
export function createStartedQueries(client = new AthenaClient(shortRequests)): Pick<Queries, 'look' | 'stop'> {
  return {
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
        // A query that Athena no longer knows is not running.
        if (!(error instanceof InvalidRequestException)) throw error
      }
    },
  }
}

/** Athena refused the statement or could not be reached. */
export class QueryNotStarted extends PrintableError {
  override readonly name = 'QueryNotStarted'
  constructor(cause: unknown) {
    super(`Athena did not start the query: ${cause instanceof Error ? cause.message : 'unknown'}`, { cause })
  }
}

function describeState(query: QueryExecution | undefined): QueryState {
  const { State, StateChangeReason: reason = '', AthenaError: error } = query?.Status ?? {}
  const { DataManifestLocation: manifest, DataScannedInBytes } = query?.Statistics ?? {}
  const scanned = DataScannedInBytes === undefined ? {} : { bytesScanned: DataScannedInBytes }
  switch (State) {
    case 'SUCCEEDED':
      return { state: 'succeeded', manifest, ...scanned }
    case 'FAILED':
    case 'CANCELLED':
      return { state: 'failed', fault: classifyFailure(reason, error), reason, ...scanned }
    default:
      return { state: 'running' }
  }
}

const isThrottled = (error: unknown) => error instanceof Error && throttlingErrors.includes(error.name)
