import type { APIGatewayProxyEvent } from 'aws-lambda'
import { idempotencyKeyHeader } from '../../contract/headers.ts'
import { queryParameters, routes } from '../../contract/routes.ts'
import { printable } from '../../contract/texts/show-value.ts'
import { type Authorize, authorizeKey } from '../../core/access/access.ts'
import { type PresentedKey, parseAuthorization, readBearerToken } from '../../core/access/api-key.ts'
import { Forbidden, InvalidRequest, Unauthorized } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { adviseName } from '../../core/search/advise-name.ts'

/**
 * Refuses what was sent more than once but counts once: API Gateway would take the last one.
 *
 * @throws InvalidRequest naming each header and parameter
 */
export function refuseRepetitions(
  event: Pick<APIGatewayProxyEvent, 'multiValueHeaders' | 'multiValueQueryStringParameters'>,
): void {
  const headers = Object.entries(event.multiValueHeaders ?? {}).flatMap(([sent, values]) => {
    const name = ['Authorization', idempotencyKeyHeader].find((each) => each.toLowerCase() === sent.toLowerCase())
    return name === undefined ? [] : [[name, values] as const]
  })
  const faults = [...headers, ...Object.entries(event.multiValueQueryStringParameters ?? {})]
    .filter(([, values = []]) => values.length > 1)
    .map(([name, values = []]) => ({ path: printable(name), message: `was sent ${values.length} times: send it once` }))
  if (faults.length > 0) throw new InvalidRequest(faults)
}

/**
 * Refuses parameters that a call does not have: ignoring a misspelt filter would widen a list, and one in the wrong
 * call would do nothing. The key is checked first, as in every call.
 *
 * @throws InvalidRequest naming each parameter; Unauthorized, Forbidden, NotPermitted if there is one
 */
export async function refuseUnknownParameters(
  event: Pick<APIGatewayProxyEvent, 'httpMethod' | 'resource' | 'queryStringParameters' | 'headers'>,
  deps: { readonly log: Log } & Partial<Authorize>,
): Promise<void> {
  const { httpMethod, resource, queryStringParameters } = event
  const route = routes.find(({ method, path }) => method === httpMethod && path === resource)
  if (route === undefined) return
  const names = queryParameters[route.operation]
  const faults = Object.keys(queryStringParameters ?? {})
    .filter((name) => !names.includes(name))
    .map((name) => ({
      path: printable(name),
      message: `is not a parameter of this call; ${adviseParameter(name, names)}`,
    }))
  if (faults.length === 0) return
  const { access, now, log } = deps
  if (access && now) await authorizeKey({ access, now, log }, readApiKey(event), route.effect)
  throw new InvalidRequest(faults)
}

function adviseParameter(name: string, names: readonly string[]): string {
  if (name === 'wait') return 'GET /v1/searches/{job_id}?wait=20 waits for the end of a search'
  return names.length === 0 ? 'it has none' : adviseName(name, names, 'parameters')
}

/** Reads a header, ignoring case; if it was sent twice, the last one, as API Gateway does. */
export function readHeader({ headers }: Pick<APIGatewayProxyEvent, 'headers'>, name: string): string | undefined {
  const entries = Object.entries(headers ?? {}).filter(([key]) => key.toLowerCase() === name.toLowerCase())
  return entries.at(-1)?.[1]
}

/**
 * Parses the API key of a request, without checking it against the store.
 *
 * @throws Unauthorized if it is missing or malformed
 */
export function readApiKey(event: Pick<APIGatewayProxyEvent, 'headers'>): PresentedKey {
  const key = parseAuthorization(readHeader(event, 'authorization'))
  if (key === undefined) throw new Unauthorized()
  return key
}

/** Reads the API key of a request as it was sent, to call the API with it. @throws Unauthorized if it is missing */
export function readToken(event: Pick<APIGatewayProxyEvent, 'headers'>): string {
  const token = readBearerToken(readHeader(event, 'authorization'))
  if (token === undefined) throw new Unauthorized()
  return token
}

/**
 * Refuses requests that a web page of another origin makes. Source: Model Context Protocol, "Transports", security of
 * Streamable HTTP, which protects servers on a user's machine from pages that the user visits.
 *
 * @throws Forbidden
 */
export function refuseOtherOrigins(event: Pick<APIGatewayProxyEvent, 'headers'>, publicBaseUrl: string): void {
  const origin = readHeader(event, 'origin')
  if (origin !== undefined && origin !== new URL(publicBaseUrl).origin) throw new Forbidden('other origin')
}

/** Reads the job id of a request's path, whatever it is; empty if the path has none. */
export function readJobId({ pathParameters }: Pick<APIGatewayProxyEvent, 'pathParameters'>): string {
  return pathParameters?.['job_id'] ?? ''
}
