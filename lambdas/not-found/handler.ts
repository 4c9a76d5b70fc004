import { methodsOf } from '../../contract/routes.ts'
import { MethodNotAllowed, NotFound } from '../../core/errors.ts'
import type { Log } from '../../core/ports.ts'
import { handleHttp } from '../http/handle-http.ts'

/** Every path or method that no other function serves. REST APIs answer 403 for both by themselves. */
export function notFoundHandler({ log }: { readonly log: Log }) {
  return handleHttp(log, async ({ httpMethod, resource }) => {
    // The path holds the base path of a custom domain; the resource is always that of the API.
    const allowed = methodsOf(resource)
    throw allowed.length > 0 ? new MethodNotAllowed(httpMethod, allowed) : new NotFound()
  })
}
