import { type AnyRoute, type Route, routes } from '../../contract/routes.ts'
import { type Answer, type Call, call } from './client.ts'
import { requiredQueries } from './required-queries.ts'
import { smallSearch } from './samples.ts'

/** Every route with its test name, for tests that apply to all routes. */
export const eachRoute = routes
  .filter(({ method }: AnyRoute) => method !== 'HEAD')
  .map((route) => [`${route.method} ${route.path}`, route] as const)

/** The routes that need a key. */
export const eachRouteWithKey = eachRoute.filter(([, { auth }]) => auth === 'key')

/** Sends a valid request to a route: for the job `jobId`, with a small search as body. */
export function callRoute({ method, path, operation }: Route, jobId: string, options: Call = {}): Promise<Answer> {
  const hasBody = method === 'POST' && !path.includes('{')
  const query = new URLSearchParams(requiredQueries[operation])
  return call(path.replace('{job_id}', jobId) + (query.size === 0 ? '' : `?${query}`), {
    method,
    ...(hasBody && { body: JSON.stringify(smallSearch) }),
    ...options,
    headers: { ...(hasBody && { 'Content-Type': 'application/json' }), ...options.headers },
  })
}
