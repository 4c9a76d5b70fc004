import { mcpRoute } from './mcp.ts'
import { pagePaths } from './pages.ts'

/**
 * The routes of the API: paths, methods, which need a key, and what they do to searches. Requests and answers are in
 * `calls.ts`, which functions do not import.
 */
export const routes = [
  { method: 'POST', path: '/v1/searches', operation: 'create-search', auth: 'key', effect: 'creates' },
  { method: 'GET', path: '/v1/searches', operation: 'list-searches', auth: 'key', effect: 'reads' },
  { method: 'HEAD', path: '/v1/searches', operation: 'list-searches', auth: 'key', effect: 'reads' },
  { method: 'GET', path: '/v1/searches/{job_id}', operation: 'get-search', auth: 'key', effect: 'reads', tagged: true },
  {
    method: 'HEAD',
    path: '/v1/searches/{job_id}',
    operation: 'get-search',
    auth: 'key',
    effect: 'reads',
    tagged: true,
  },
  {
    method: 'GET',
    path: '/v1/searches/{job_id}/manifest',
    operation: 'get-manifest',
    auth: 'key',
    effect: 'reads',
    tagged: true,
  },
  { method: 'GET', path: '/v1/searches/{job_id}/rows', operation: 'get-rows', auth: 'key', effect: 'reads' },
  { method: 'POST', path: '/v1/searches/{job_id}/cancel', operation: 'cancel-search', auth: 'key', effect: 'ends' },
  { method: 'DELETE', path: '/v1/searches/{job_id}', operation: 'delete-search', auth: 'key', effect: 'ends' },
  { method: 'POST', path: '/v1/estimates', operation: 'estimate-search', auth: 'key', effect: 'reads' },
  {
    method: 'GET',
    path: '/v1/fee-schedules',
    operation: 'list-fee-schedules',
    auth: 'key',
    effect: 'reads',
    tagged: true,
  },
  { method: 'GET', path: '/v1/billing-codes', operation: 'list-billing-codes', auth: 'key', effect: 'reads' },
  { method: 'GET', path: '/v1/specialties', operation: 'list-specialties', auth: 'key', effect: 'reads' },
  { method: 'GET', path: '/v1/providers', operation: 'list-providers', auth: 'key', effect: 'reads' },
] as const satisfies readonly AnyRoute[]

export type Route = (typeof routes)[number]

/** The parameters of the query string that each call has; `calls.ts` has their schemas. */
export const queryParameters: Readonly<Record<Route['operation'], readonly string[]>> = {
  'create-search': [],
  'list-searches': ['status', 'limit', 'cursor'],
  'get-search': ['wait'],
  'get-manifest': [],
  'get-rows': ['limit', 'columns', 'format'],
  'cancel-search': [],
  'delete-search': [],
  'estimate-search': [],
  'list-fee-schedules': ['payer', 'q', 'plan_id', 'sponsor', 'market', 'limit', 'cursor'],
  'list-billing-codes': ['q', 'billing_code_type', 'limit', 'cursor'],
  'list-specialties': ['q', 'limit', 'cursor'],
  'list-providers': ['npi', 'q', 'state', 'zip', 'taxonomy', 'limit'],
}

/**
 * The effect of a call on the searches of an organization, which decides the keys that may make it: it only reads, as
 * an estimate does, creates a search, or ends or deletes one.
 */
export type Effect = 'reads' | 'creates' | 'ends'

export interface AnyRoute {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE'
  /** Parameters in braces. */
  readonly path: string
  /** The name of the call, and of its function. */
  readonly operation: string
  /** `key` if the call needs an API key. */
  readonly auth: 'key' | 'none'
  readonly effect: Effect
  /** True if a success has an `ETag`, and is 304 without a body if `If-None-Match` names it. */
  readonly tagged?: true
}

/** The names of the calls, each once: a call may have several methods. */
export const operations: readonly Route['operation'][] = [...new Set(routes.map(({ operation }) => operation))]

/** Returns the effect of a call, which is the same for all of its methods. */
export function effectOf(operation: Route['operation']): Effect {
  const route = routes.find((each) => each.operation === operation)
  if (route === undefined) throw new TypeError(`no route is called ${operation}`)
  return route.effect
}

/**
 * The methods of a path, which is a request's path below the public base URL or a resource of the API; none if the path
 * is unknown.
 */
export function methodsOf(path: string): readonly string[] {
  if (pagePaths.some((page) => page === path)) return ['GET']
  if (path === mcpRoute.path) return [mcpRoute.method]
  return routes.filter((route) => matchesPath(route.path, path)).map(({ method }) => method)
}

/** True if a request's path matches the path of a route; a parameter matches any non-empty segment. */
export function matchesPath(pattern: string, path: string): boolean {
  const expected = pattern.split('/')
  const segments = path.split('/')
  const fits = (part: string, index: number) =>
    part.startsWith('{') ? segments[index] !== '' : segments[index] === part
  return expected.length === segments.length && expected.every(fits)
}
