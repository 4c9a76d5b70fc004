import type { Route } from '../../contract/routes.ts'
import { routes } from '../../contract/routes.ts'
import type { Answer, Call } from './client.ts'
import { call } from './client.ts'
import { smallSearch } from './samples.ts'

/** Every route, named as tests say it: what holds for all of them iterates over this list. */
export const eachRoute = routes.map((route) => [`${route.method} ${route.path}`, route] as const)

/** The routes that need a key. */
export const eachRouteWithKey = eachRoute.filter(([, { auth }]) => auth === 'key')

/** Sends a request to a route that would be accepted: of the job `jobId`, with a small search as body. */
export function callRoute({ method, path }: Route, jobId: string, options: Call = {}): Promise<Answer> {
  const hasBody = method === 'POST' && !path.includes('{')
  return call(path.replace('{job_id}', jobId), {
    method,
    ...(hasBody && { body: JSON.stringify(smallSearch) }),
    ...options,
    headers: { ...(hasBody && { 'Content-Type': 'application/json' }), ...options.headers },
  })
}
