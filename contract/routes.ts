import { mcpRoute } from './mcp.ts'
import { pagePaths } from './pages.ts'

/**
 * The routes of the API: paths, methods, and which need a key. Requests and answers are in `calls.ts`, which functions
 * do not import.
 */
export const routes = [
  { method: 'POST', path: '/v1/searches', operation: 'create-search', auth: 'key' },
  { method: 'GET', path: '/v1/searches', operation: 'list-searches', auth: 'key' },
  { method: 'HEAD', path: '/v1/searches', operation: 'list-searches', auth: 'key' },
  { method: 'GET', path: '/v1/searches/{job_id}', operation: 'get-search', auth: 'key', tagged: true },
  { method: 'HEAD', path: '/v1/searches/{job_id}', operation: 'get-search', auth: 'key', tagged: true },
  { method: 'GET', path: '/v1/searches/{job_id}/manifest', operation: 'get-manifest', auth: 'key', tagged: true },
  { method: 'GET', path: '/v1/searches/{job_id}/rows', operation: 'get-rows', auth: 'key' },
  { method: 'POST', path: '/v1/searches/{job_id}/cancel', operation: 'cancel-search', auth: 'key' },
  { method: 'DELETE', path: '/v1/searches/{job_id}', operation: 'delete-search', auth: 'key' },
  { method: 'POST', path: '/v1/estimates', operation: 'estimate-search', auth: 'key' },
  { method: 'GET', path: '/v1/fee-schedules', operation: 'list-fee-schedules', auth: 'key', tagged: true },
  { method: 'GET', path: '/v1/billing-codes', operation: 'list-billing-codes', auth: 'key' },
  { method: 'GET', path: '/v1/specialties', operation: 'list-specialties', auth: 'key' },
] as const satisfies readonly AnyRoute[]

export type Route = (typeof routes)[number]

export interface AnyRoute {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE'
  /** Parameters in braces. */
  readonly path: string
  /** The name of the call, and of its function. */
  readonly operation: string
  /** `key` if the call needs an API key. */
  readonly auth: 'key' | 'none'
  /** True if a success has an `ETag`, and is 304 without a body if `If-None-Match` names it. */
  readonly tagged?: true
}

/** The names of the calls, each once: a call may have several methods. */
export const operations: readonly Route['operation'][] = [...new Set(routes.map(({ operation }) => operation))]

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
