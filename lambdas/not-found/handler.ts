import { methodsOf } from '../../contract/routes.ts'
import { MethodNotAllowed, NotFound } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { handleHttp } from '../http/handle-http.ts'

/** Answers every path or method that no other function serves. On its own, a REST API answers 403 for both. */
export function notFoundHandler({ log }: { readonly log: Log }) {
  return handleHttp({ log }, async ({ httpMethod, resource }) => {
    // The path may include the base path of a custom domain; the resource never does.
    const allowed = methodsOf(resource)
    // A path with a trailing slash may arrive with the resource and a method that the path without it has.
    const isRefused = allowed.length > 0 && !allowed.includes(httpMethod)
    throw isRefused ? new MethodNotAllowed(httpMethod, allowed) : new NotFound()
  })
}
