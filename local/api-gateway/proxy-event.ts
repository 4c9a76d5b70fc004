import type { IncomingMessage } from 'node:http'
import type { Route } from './route-table.ts'

/** A request of the API whose body has been read. */
export interface ArrivedRequest {
  readonly request: IncomingMessage
  readonly route: Route
  readonly body: Buffer
  readonly requestId: string
  readonly time: Date
}

/**
 * Builds a REST API proxy integration event (payload version 1.0).
 * Source: API Gateway developer guide, "Input format".
 */
export function makeProxyEvent({ request, route, body, requestId, time }: ArrivedRequest): object {
  const { path: pathname, query: searchParams } = splitTarget(request.url)
  const httpMethod = request.method ?? 'GET'
  const headers = request.headersDistinct
  return {
    resource: route.resourcePath,
    path: pathname,
    httpMethod,
    headers: lastOfEach(headers),
    multiValueHeaders: headers,
    queryStringParameters: nullIfEmpty(Object.fromEntries(searchParams)),
    multiValueQueryStringParameters: nullIfEmpty(
      Object.fromEntries([...new Set(searchParams.keys())].map((name) => [name, searchParams.getAll(name)])),
    ),
    pathParameters: route.pathParameters,
    stageVariables: null,
    requestContext: {
      requestId,
      stage: 'local',
      resourcePath: route.resourcePath,
      path: pathname,
      httpMethod,
      requestTimeEpoch: time.getTime(),
      identity: { sourceIp: request.socket.remoteAddress ?? '127.0.0.1' },
    },
    // No binary media types are configured, so the gateway treats every body as text.
    body: body.length > 0 ? body.toString('utf8') : null,
    isBase64Encoded: false,
  }
}

/**
 * Splits a request target into path and query without normalising either. A URL parser would read `//x/v1` as a host
 * and resolve `..`.
 */
export function splitTarget(target = '/'): { readonly path: string; readonly query: URLSearchParams } {
  const queryStart = target.indexOf('?')
  const path = queryStart === -1 ? target : target.slice(0, queryStart)
  return { path, query: new URLSearchParams(queryStart === -1 ? '' : target.slice(queryStart)) }
}

function lastOfEach(headers: NodeJS.Dict<string[]>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, values]) => {
      const last = values?.at(-1)
      return last === undefined ? [] : [[name, last]]
    }),
  )
}

function nullIfEmpty<Value extends object>(value: Value): Value | null {
  return Object.keys(value).length > 0 ? value : null
}
