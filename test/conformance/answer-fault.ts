import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import type { Call, Schemas, Success } from '../../contract/call.ts'
import { answerHeaders, contract, errorHeaders } from '../../contract/calls.ts'
import { httpStatusOf } from '../../contract/errors.ts'
import { entityTagHeader } from '../../contract/headers.ts'
import { addTag } from '../../contract/openapi/openapi.ts'
import { type AnyRoute, matchesPath } from '../../contract/routes.ts'
import { errorBody } from '../../contract/schemas/error.ts'

/**
 * Checks answers of the API strictly: by the published schemas, which allow new fields in answers, and for fields that
 * are not in them.
 */

export interface RequestLine {
  readonly method: string
  /** Path below the base URL; if absent, any call with the method matches. */
  readonly path?: string
}

/**
 * Finds the fault in the body of an answer.
 *
 * @param body parsed JSON, undefined if there is none
 * @returns undefined if it is the success of a matching call, or an error that fits the status
 */
export function findBodyFault(
  request: RequestLine,
  status: number,
  body: unknown,
  requestId: string,
): string | undefined {
  if (request.method === 'HEAD') return body === undefined ? undefined : 'HEAD is answered with a body'
  if (status < 400) {
    const faults = findSuccesses(request, status).map((success) => findMisfit(success.body ?? v.undefined(), body))
    return faults.includes(undefined) ? undefined : `not the success of ${describe(request)}: ${faults.join('; ')}`
  }
  const misfit = findMisfit(errorBody, body)
  if (misfit !== undefined) return `not in the envelope: ${misfit}`
  const { type, request_id, details } = v.parse(errorBody, body).error
  if (!fitsStatus(type, status)) return `${type} with the status ${status}`
  if (details !== undefined && type !== 'invalid_request' && type !== 'rate_limited') return `${type} with details`
  return request_id === requestId ? undefined : 'request_id is not X-Request-Id'
}

/** Finds the fault in the headers of an answer: a required one is missing, or has an invalid value. */
export function findHeaderFault(request: RequestLine, status: number, headers: Headers): string | undefined {
  const candidates: readonly Pick<Success, 'headers' | 'requiredHeaders'>[] =
    status < 400 ? findSuccesses(request, status) : [{ headers: findErrorHeaders(request, status) }]
  const faults = candidates.map(({ headers: declared = {}, requiredHeaders = [] }) =>
    [
      ...Object.entries(answerHeaders).map(([name, schema]) => findValueFault(headers, name, schema, true)),
      ...Object.entries(declared).map(([name, schema]) =>
        findValueFault(headers, name, schema, requiredHeaders.includes(name)),
      ),
    ].find((fault) => fault !== undefined),
  )
  return faults.includes(undefined) ? undefined : faults.join('; ')
}

function findSuccesses(request: RequestLine, status: number): readonly Omit<Success, 'status' | 'description'>[] {
  return findRoutes(request).flatMap(({ operation, tagged = false }): ReturnType<typeof findSuccesses> => {
    const success = addTag(contract.calls[operation].success, tagged)
    const { headers = {} } = success
    if (status === 304 && tagged) return [{ headers, requiredHeaders: [entityTagHeader] }]
    return success.status === status ? [success] : []
  })
}

const findCalls = (request: RequestLine): readonly Call[] =>
  findRoutes(request).map(({ operation }) => contract.calls[operation])

function findRoutes({ method, path }: RequestLine) {
  // Some gateways ignore a trailing slash.
  const pathname = path?.split('?')[0]?.replace(/(.)\/$/, '$1')
  return contract.routes
    .filter((route) => route.method === method && (pathname === undefined || matchesPath(route.path, pathname)))
    .map((route): AnyRoute & { readonly operation: keyof typeof contract.calls } => route)
}

function findErrorHeaders(request: RequestLine, status: number): Schemas {
  const types = Object.entries(httpStatusOf).flatMap(([type, each]) => (each === status ? [type] : []))
  const ofCalls = findCalls(request).map((call: Call) => call.errorHeaders ?? {})
  const entries = [errorHeaders, ...ofCalls].flatMap((headers) => Object.entries(headers))
  return Object.assign({}, ...entries.filter(([name]) => types.includes(name)).map(([, schemas]) => schemas))
}

/** `v.object` drops unknown fields, so any difference is an extra field. */
function findMisfit(schema: v.GenericSchema, body: unknown): string | undefined {
  const parsed = v.safeParse(schema, body)
  if (!parsed.success) return v.summarize(parsed.issues)
  return isDeepStrictEqual(parsed.output, body) ? undefined : `fields that are in no schema: ${JSON.stringify(body)}`
}

function findValueFault(
  headers: Headers,
  name: string,
  schema: v.GenericSchema,
  isRequired: boolean,
): string | undefined {
  const value = headers.get(name)
  if (value === null) return isRequired ? `no ${name}` : undefined
  return v.is(schema, value) || v.is(schema, Number(value)) ? undefined : `${name}: ${value}`
}

/** The gateway's own errors keep their status but share a type: 417, 431 and the like, 502, 504. */
function fitsStatus(type: keyof typeof httpStatusOf, status: number): boolean {
  if (httpStatusOf[type] === status) return true
  if (Object.values(httpStatusOf).some((documentedStatus) => documentedStatus === status)) return false
  return status < 500 ? type === 'invalid_request' : type === 'internal_error'
}

const describe = ({ method, path = 'any path' }: RequestLine) => `${method} ${path}`
