import { createHash } from 'node:crypto'
import type { MiddlewareObj } from '@middy/core'
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda'
import { entityTagHeader, ifNoneMatchHeader } from '../../contract/headers.ts'
import { type AnyRoute, routes } from '../../contract/routes.ts'

/** Fields with URLs that are signed anew for each answer. One that is missing here makes tags differ, never agree. */
const signedFields: ReadonlySet<string> = new Set(['url', 'download_urls'])

const halfHour = 30 * 60_000

/**
 * Gives the successes of a route with `tagged` an `ETag`, and answers 304 without a body to a request whose
 * `If-None-Match` has it.
 */
export const tagAnswer: MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> = {
  after: (request) => {
    const { event, response } = request
    if (response === null || response === undefined || !isTagged(event)) return
    const tag = tagBody(response.body)
    const { 'Content-Type': type, ...headers } = response.headers ?? {}
    const tagged = { ...headers, [entityTagHeader]: tag }
    request.response = includesTag(event, tag)
      ? { statusCode: 304, headers: tagged, body: '' }
      : { ...response, headers: { ...tagged, ...(type !== undefined && { 'Content-Type': type }) } }
  },
}

function isTagged({ httpMethod, resource }: APIGatewayProxyEvent): boolean {
  const route: AnyRoute | undefined = routes.find(({ method, path }) => method === httpMethod && path === resource)
  return route?.tagged === true
}

/**
 * Computes the tag of a body in JSON: of all its fields without URLs, with the half hour in which its URLs expire. The
 * tag is weak, because two bodies with one tag differ in the signatures of URLs. URLs live for at least 55 minutes, so
 * those of an earlier answer with the same tag have at least 25 left.
 */
export function tagBody(body: string): string {
  const lasting = JSON.stringify(JSON.parse(body), (name, value: unknown) => {
    if (signedFields.has(name)) return undefined
    return name === 'expires_at' ? Math.floor(Date.parse(String(value)) / halfHour) : value
  })
  return `W/"${createHash('sha256').update(lasting).digest('base64url')}"`
}

/** Compares weakly, as RFC 9110, section 13.1.2, requires. A header that is no list of tags has none. */
function includesTag({ multiValueHeaders }: APIGatewayProxyEvent, tag: string): boolean {
  const lines = Object.entries(multiValueHeaders ?? {})
    .filter(([name]) => name.toLowerCase() === ifNoneMatchHeader.toLowerCase())
    .flatMap(([, values = []]) => values)
  if (lines.some((line) => line.trim() === '*')) return true
  const tags = lines.flatMap((line) => line.match(/"[\x21\x23-\x7e\x80-\xff]*"/g) ?? [])
  return tags.includes(tag.replace(/^W\//, ''))
}
