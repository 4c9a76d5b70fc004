/** The calls of the API: what the gateway routes, and what an unknown method is told is allowed. */
export const routes = [
  { method: 'POST', path: '/v1/searches', operation: 'create-search' },
  { method: 'GET', path: '/v1/searches/{job_id}', operation: 'get-search' },
  { method: 'POST', path: '/v1/searches/{job_id}/cancel', operation: 'cancel-search' },
  { method: 'DELETE', path: '/v1/searches/{job_id}', operation: 'delete-search' },
  { method: 'GET', path: '/v1/fee-schedules', operation: 'list-fee-schedules' },
] as const

export type Route = (typeof routes)[number]

/** The methods that exist for a path below the public base URL, or for a resource of the API; none if it is unknown. */
export function methodsOf(path: string): readonly string[] {
  return routes.filter((route) => matches(route.path, path)).map(({ method }) => method)
}

function matches(pattern: string, path: string): boolean {
  const expected = pattern.split('/')
  const found = path.split('/')
  const fits = (part: string, index: number) => (part.startsWith('{') ? found[index] !== '' : found[index] === part)
  return expected.length === found.length && expected.every(fits)
}
