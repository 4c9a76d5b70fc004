import { InvalidRequest } from './faults.ts'
import type { Queries, Query, QueryRequest } from './queries.ts'
import { showQuery } from './query-execution.ts'
import { parseS3Address, type S3Address } from './s3-address.ts'
import { showPage } from './selected-rows.ts'

/** The JSON body of a call; each operation reads the fields it knows. */
export type Body = Readonly<Record<string, unknown>>

export type AthenaOperation = (body: Body) => object | Promise<object>

/** Maximum query length in bytes of UTF-8. Source: Athena API, StartQueryExecution, QueryString. */
const maxQueryBytes = 262_144

/** Source: Athena API, GetQueryResults, MaxResults. */
const maxResults = 1000

/**
 * The supported Athena operations, by name.
 *
 * @param defaultOutput the workgroup's location, for queries that name none
 */
export function athenaOperations(
  queries: Queries,
  defaultOutput: string | undefined,
): ReadonlyMap<string, AthenaOperation> {
  return new Map<string, AthenaOperation>([
    ['StartQueryExecution', (body) => startQueryExecution(queries, body, defaultOutput)],
    ['GetQueryExecution', (body) => ({ QueryExecution: showQuery(findQuery(queries, body)) })],
    ['StopQueryExecution', (body) => stopQueryExecution(queries, body)],
    ['GetQueryResults', (body) => getQueryResults(findQuery(queries, body), body)],
  ])
}

async function startQueryExecution(queries: Queries, body: Body, defaultOutput: string | undefined): Promise<object> {
  const token = requireText(body, 'ClientRequestToken')
  if (token.length < 32 || token.length > 128)
    throw new InvalidRequest(`ClientRequestToken must have 32 to 128 characters, not ${token.length}`)
  return { QueryExecutionId: await queries.start(token, readRequest(body, defaultOutput)) }
}

function readRequest(body: Body, defaultOutput: string | undefined): QueryRequest {
  const text = requireText(body, 'QueryString')
  const bytes = Buffer.byteLength(text)
  if (bytes > maxQueryBytes)
    throw new InvalidRequest(`QueryString must have at most ${maxQueryBytes} bytes of UTF-8, not ${bytes}`)
  return {
    text,
    database: readText(readObject(body, 'QueryExecutionContext'), 'Database'),
    workGroup: readText(body, 'WorkGroup') ?? 'primary',
    output: readOutput(readText(readObject(body, 'ResultConfiguration'), 'OutputLocation') ?? defaultOutput),
  }
}

function readOutput(location: string | undefined): S3Address {
  if (location === undefined)
    throw new InvalidRequest(
      'No output location provided: the workgroup (here, the option outputLocation) or the call must name one',
    )
  const address = parseS3Address(location)
  if (address === undefined) throw new InvalidRequest(`OutputLocation must be s3://bucket/prefix/, not ${location}`)
  return address.key === '' || address.key.endsWith('/') ? address : { ...address, key: `${address.key}/` }
}

function stopQueryExecution(queries: Queries, body: Body): object {
  queries.stop(requireText(body, 'QueryExecutionId'))
  return {}
}

/** An UNLOAD has no rows to return; they are in its files. */
function getQueryResults({ progress }: Query, body: Body): object {
  if (progress.state === 'QUEUED' || progress.state === 'RUNNING')
    throw new InvalidRequest(`Query has not yet finished. Current state: ${progress.state}`)
  if (progress.state !== 'SUCCEEDED')
    throw new InvalidRequest(`Query did not finish successfully. Final query state: ${progress.state}`)
  const { table } = progress.answer
  if (table === undefined) return { ResultSet: showPage({ columns: [], rows: [] }, 1, 0), UpdateCount: 0 }
  const size = readPageSize(body)
  const start = readPageStart(body)
  const isLast = start + size > table.rows.length
  return {
    ResultSet: showPage(table, start, size),
    UpdateCount: 0,
    ...(!isLast && { NextToken: String(start + size) }),
  }
}

function readPageSize(body: Body): number {
  const size = body['MaxResults'] ?? maxResults
  if (typeof size === 'number' && Number.isInteger(size) && size >= 1 && size <= maxResults) return size
  throw new InvalidRequest(`MaxResults must be an integer from 1 to ${maxResults}`)
}

function readPageStart(body: Body): number {
  const token = readText(body, 'NextToken') ?? '0'
  if (/^\d{1,15}$/.test(token)) return Number(token)
  throw new InvalidRequest('NextToken was not issued by this endpoint')
}

function findQuery(queries: Queries, body: Body): Query {
  return queries.find(requireText(body, 'QueryExecutionId'))
}

function requireText(body: Body, name: string): string {
  const text = readText(body, name)
  if (text === undefined || text === '') throw new InvalidRequest(`${name} is required`)
  return text
}

function readText(body: Body, name: string): string | undefined {
  const value = body[name] ?? undefined
  if (value === undefined || typeof value === 'string') return value
  throw new InvalidRequest(`${name} must be a string`)
}

function readObject(body: Body, name: string): Body {
  const value = body[name] ?? {}
  if (isBody(value)) return value
  throw new InvalidRequest(`${name} must be an object`)
}

/** Whether a parsed JSON value is an object. */
export function isBody(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
