import * as v from 'valibot'
import { listFaults } from '../../schema/list-faults.ts'
import type { JsonOperation } from '../json-endpoint.ts'
import { InvalidRequest } from './faults.ts'
import type { Queries, Query } from './queries.ts'
import { showQuery } from './query-execution.ts'
import { parseS3Address, type S3Address } from './s3-address.ts'
import { showPage } from './selected-rows.ts'

/** Maximum query length in bytes of UTF-8. Source: Athena API, StartQueryExecution, QueryString. */
const maxQueryBytes = 262_144

/** Source: Athena API, GetQueryResults, MaxResults. */
const maxResults = 1000

const startSchema = v.object({
  ClientRequestToken: v.pipe(
    v.string(),
    v.minLength(32, ({ input }) => `must have 32 to 128 characters, not ${input.length}`),
    v.maxLength(128, ({ input }) => `must have 32 to 128 characters, not ${input.length}`),
  ),
  QueryString: v.pipe(
    v.string(),
    v.nonEmpty('is required'),
    v.maxBytes(maxQueryBytes, ({ received }) => `must have at most ${maxQueryBytes} bytes of UTF-8, not ${received}`),
  ),
  QueryExecutionContext: v.optional(v.object({ Database: v.optional(v.string()) }), {}),
  WorkGroup: v.optional(v.string(), 'primary'),
  ResultConfiguration: v.optional(v.object({ OutputLocation: v.optional(v.string()) }), {}),
})

const querySchema = v.object({ QueryExecutionId: v.pipe(v.string(), v.nonEmpty('is required')) })

const pageSchema = v.object({
  MaxResults: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(maxResults)), maxResults),
  NextToken: v.optional(v.pipe(v.string(), v.regex(/^\d{1,15}$/, 'was not issued by this endpoint')), '0'),
})

/**
 * The supported Athena operations, by name.
 *
 * @param defaultOutput the workgroup's location, for queries that name none
 */
export function athenaOperations(
  queries: Queries,
  defaultOutput: string | undefined,
): Readonly<Record<string, JsonOperation>> {
  const find = (input: unknown) => queries.find(parse(querySchema, input).QueryExecutionId)
  return {
    StartQueryExecution: async (input) => {
      const start = parse(startSchema, input)
      const request = {
        text: start.QueryString,
        database: start.QueryExecutionContext.Database,
        workGroup: start.WorkGroup,
        output: readOutput(start.ResultConfiguration.OutputLocation ?? defaultOutput),
      }
      return { QueryExecutionId: await queries.start(start.ClientRequestToken, request) }
    },
    GetQueryExecution: (input) => ({ QueryExecution: showQuery(find(input)) }),
    StopQueryExecution: (input) => {
      queries.stop(find(input).id)
      return {}
    },
    GetQueryResults: (input) => getQueryResults(find(input), input),
  }
}

/** @throws InvalidRequest naming every wrong field */
function parse<const Schema extends v.GenericSchema>(schema: Schema, input: unknown): v.InferOutput<Schema> {
  const { success, output, issues } = v.safeParse(schema, input)
  if (success) return output
  throw new InvalidRequest(listFaults(issues, 'The body').join('; '))
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

/** An UNLOAD has no rows to return; they are in its files. */
function getQueryResults({ progress }: Query, input: unknown): object {
  if (progress.state === 'QUEUED' || progress.state === 'RUNNING')
    throw new InvalidRequest(`Query has not yet finished. Current state: ${progress.state}`)
  if (progress.state !== 'SUCCEEDED')
    throw new InvalidRequest(`Query did not finish successfully. Final query state: ${progress.state}`)
  const { table } = progress.answer
  if (table === undefined) return { ResultSet: showPage({ columns: [], rows: [] }, 1, 0), UpdateCount: 0 }
  const { MaxResults: size, NextToken } = parse(pageSchema, input)
  const start = Number(NextToken)
  const isLast = start + size > table.rows.length
  return {
    ResultSet: showPage(table, start, size),
    UpdateCount: 0,
    ...(!isLast && { NextToken: String(start + size) }),
  }
}
