import * as v from 'valibot'
import { httpStatusOf } from '../../contract/errors.ts'
import type { Route } from '../../contract/routes.ts'
import { routes } from '../../contract/routes.ts'

/** Everything that the API may answer, strictly: a field too many is as wrong as one too few. */

const sentence = v.pipe(v.string(), v.regex(/^\S.*\S$/s))
const timestamp = v.pipe(v.string(), v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/))
const url = v.pipe(v.string(), v.url())

const search = { job_id: v.pipe(v.string(), v.uuid()), created_at: timestamp, status_url: url }

const runningSearch = v.strictObject({ ...search, status: v.picklist(['queued', 'processing']) })

const searchBody = v.union([
  runningSearch,
  v.strictObject({
    ...search,
    status: v.literal('completed'),
    completed_at: timestamp,
    download_urls: v.pipe(v.array(url), v.minLength(1)),
    expires_at: timestamp,
  }),
  v.strictObject({ ...search, status: v.literal('failed'), error: v.pipe(v.string(), v.regex(/^[a-z_]+: \S/)) }),
])

const feeSchedulesBody = v.strictObject({
  fee_schedules: v.array(
    v.strictObject({
      payer: v.string(),
      plan: v.string(),
      plan_ids: v.array(v.string()),
      last_updated_on: v.nullable(v.pipe(v.string(), v.isoDate())),
      partial: v.boolean(),
    }),
  ),
  next_cursor: v.nullable(v.string()),
})

/** The one success of each call. A route without an entry does not compile. */
const successes: Readonly<Record<Route['operation'], { readonly status: number; readonly body: v.GenericSchema }>> = {
  'create-search': { status: 202, body: runningSearch },
  'get-search': { status: 200, body: searchBody },
  'cancel-search': { status: 200, body: searchBody },
  'delete-search': { status: 204, body: v.undefined() },
  'list-fee-schedules': { status: 200, body: feeSchedulesBody },
}

const fault = v.strictObject({ path: v.string(), message: sentence })

const errorBody = v.strictObject({
  error: v.strictObject({
    type: v.picklist(Object.keys(httpStatusOf)),
    message: sentence,
    request_id: v.pipe(v.string(), v.minLength(8)),
    details: v.optional(v.pipe(v.array(fault), v.minLength(1), v.maxLength(101))),
  }),
})

/** The gateway's own refusals keep their status under the one type: 417, 431 and the like. */
const statusesOf = (type: string): ((status: number) => boolean) => {
  const own = Object.entries(httpStatusOf).find(([name]) => name === type)?.[1]
  return (status) => status === own || (type === 'invalid_request' && status > 400 && status < 500 && !isOwn(status))
}

const isOwn = (status: number) => Object.values(httpStatusOf).some((own) => own === status)

/**
 * Says what is wrong with the body of an answer.
 *
 * @returns undefined where it is the success of a call of that method, or an error in the envelope that fits the status
 */
export function findBodyFault(method: string, status: number, body: unknown, requestId: string): string | undefined {
  if (status < 400) {
    const own = routes.filter((route) => route.method === method).map(({ operation }) => successes[operation])
    const fits = own.some((success) => success.status === status && v.is(success.body, body))
    return fits ? undefined : `the success is that of no ${method}`
  }
  const parsed = v.safeParse(errorBody, body)
  if (!parsed.success) return `not in the envelope: ${v.summarize(parsed.issues)}`
  const { type, request_id, details } = parsed.output.error
  if (!statusesOf(type)(status)) return `${type} with the status ${status}`
  if (details !== undefined && type !== 'invalid_request') return `${type} with details`
  return request_id === requestId ? undefined : 'request_id is not X-Request-Id'
}
