import { methodsOf } from '../../contract/routes.ts'
import { MethodNotAllowed, NotFound } from '../../core/errors.ts'
import type { Log } from '../../core/ports.ts'
import { handleHttp } from '../http/handle-http.ts'

/** Every path or method that no other function serves. REST APIs answer 403 for both by themselves. */
export function notFoundHandler({ log }: { readonly log: Log }) {
  return handleHttp(log, async ({ httpMethod, path }) => {
    const allowed = methodsOf(path)
    throw allowed.length > 0 ? new MethodNotAllowed(httpMethod, allowed) : new NotFound()
  })
}
