import type { IncomingMessage, ServerResponse } from 'node:http'
import * as v from 'valibot'
import { AwsRefusal } from '../aws-refusal.ts'
import type { StackTemplate } from '../stack-template.ts'

/** Permission for web pages to read the objects of a bucket. */
export interface CorsRule {
  readonly origins: readonly string[]
  readonly methods: readonly string[]
  readonly headers: readonly string[]
  readonly exposedHeaders: readonly string[]
}

/** The rules of each bucket, by name. */
export type CorsRules = ReadonlyMap<string, readonly CorsRule[]>

const texts = v.optional(v.array(v.unknown()), [])

const bucketSchema = v.object({
  CorsConfiguration: v.optional(
    v.object({
      CorsRules: v.array(
        v.object({ AllowedOrigins: texts, AllowedMethods: texts, AllowedHeaders: texts, ExposedHeaders: texts }),
      ),
    }),
  ),
})

/** Reads the rules of the template's buckets. Patterns with `*` are not supported: the template has none. */
export function readCorsRules(template: StackTemplate): CorsRules {
  return new Map(
    template.ofType('AWS::S3::Bucket').map(({ id, properties }) => {
      const rules = v.parse(bucketSchema, properties).CorsConfiguration?.CorsRules ?? []
      const readTexts = (values: readonly unknown[]) => values.map((value) => template.text(value))
      return [
        template.text({ Ref: id }),
        rules.map((rule) => ({
          origins: readTexts(rule.AllowedOrigins),
          methods: readTexts(rule.AllowedMethods),
          headers: readTexts(rule.AllowedHeaders).map((name) => name.toLowerCase()),
          exposedHeaders: readTexts(rule.ExposedHeaders),
        })),
      ]
    }),
  )
}

/**
 * True if a rule has the origin. The service's page works under both names of this machine, `localhost` and 127.0.0.1.
 */
const allows = ({ origins }: CorsRule, origin: string) =>
  origins.includes(origin) || origins.includes(origin.replace(/^http:\/\/localhost:/, 'http://127.0.0.1:'))

/**
 * Lets a page read the answer to its request if a rule of the bucket allows it.
 * Source: Amazon S3 User Guide, "Using cross-origin resource sharing (CORS)".
 */
export function allowOrigin(
  { headers, method }: IncomingMessage,
  response: ServerResponse,
  rules: readonly CorsRule[],
) {
  const { origin } = headers
  if (origin === undefined) return
  const rule = rules.find((candidate) => allows(candidate, origin) && candidate.methods.includes(method ?? ''))
  if (rule === undefined) return
  response.setHeader('Access-Control-Allow-Origin', origin)
  response.setHeader('Access-Control-Expose-Headers', rule.exposedHeaders.join(', '))
  response.setHeader('Vary', 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method')
}

/**
 * Answers a browser that asks if a page may send a request.
 *
 * @throws AwsRefusal AccessForbidden if no rule allows it
 */
export function answerPreflight({ headers }: IncomingMessage, response: ServerResponse, rules: readonly CorsRule[]) {
  const { origin = '' } = headers
  const method = headers['access-control-request-method'] ?? ''
  const requestedHeaders = headers['access-control-request-headers']?.toLowerCase().split(/\s*,\s*/) ?? []
  const rule = rules.find(
    (candidate) =>
      allows(candidate, origin) &&
      candidate.methods.includes(method) &&
      requestedHeaders.every((name) => candidate.headers.includes(name)),
  )
  if (rule === undefined)
    throw new AwsRefusal(403, 'AccessForbidden', 'CORSResponse: This CORS request is not allowed.')
  response
    .writeHead(200, {
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Allow-Methods': rule.methods.join(', '),
      'Access-Control-Allow-Headers': requestedHeaders.join(', '),
      Vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
    })
    .end()
}
