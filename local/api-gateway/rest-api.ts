import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import * as v from 'valibot'
import { readBody } from '../http-server.ts'
import type { FunctionCalls } from '../peers.ts'
import type { StackTemplate } from '../stack-template.ts'
import { readBursts } from './bursts.ts'
import { type GatewayFault, readGatewayResponses } from './gateway-responses.ts'
import { makeProxyEvent, splitTarget } from './proxy-event.ts'
import { readRoutes } from './route-table.ts'

export interface ApiGatewayOptions {
  readonly template: StackTemplate
  readonly functions: Pick<FunctionCalls, 'invoke'>
  readonly now: () => Date
  readonly newRequestId: () => string
}

/** Limits of a REST API: request body size and integration timeout. Source: API Gateway quotas. */
const limits = { bodyBytes: 10 * 1024 * 1024, integrationMs: 29_000 } as const

/** Valid header names and values. Source: RFC 9110, section 5. */
const headerName = v.pipe(v.string(), v.regex(/^[\w!#$%&'*+.^`|~-]+$/))
const headerText = v.pipe(v.string(), v.regex(/^[\t\x20-\x7e\x80-\xff]*$/))

const answerSchema = v.object({
  statusCode: v.pipe(v.number(), v.integer(), v.minValue(200), v.maxValue(599)),
  headers: v.optional(v.record(headerName, v.union([headerText, v.number(), v.boolean()])), {}),
  multiValueHeaders: v.optional(v.record(headerName, v.array(headerText)), {}),
  body: v.optional(v.string(), ''),
  isBase64Encoded: v.optional(v.boolean(), false),
})

/** REST APIs rename this header in responses. Source: API Gateway, "Known issues". */
const remapped: Readonly<Record<string, string>> = { 'www-authenticate': 'x-amzn-Remapped-WWW-Authenticate' }

/**
 * Creates the front end of the template's REST API: routes requests to functions and answers failures with gateway
 * responses.
 */
export function createApiGateway({ template, functions, now, newRequestId }: ApiGatewayOptions): RequestListener {
  const findRoute = readRoutes(template)
  const gatewayResponse = readGatewayResponses(template)
  const bursts = readBursts(template)

  async function serve(
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    refuse: (fault: GatewayFault) => void,
  ): Promise<void> {
    const body = await readBody(request, limits.bodyBytes)
    if (body === undefined) return refuse('REQUEST_TOO_LARGE')
    const route = findRoute(request.method ?? 'GET', splitTarget(request.url).path)
    if (route === undefined) return refuse('MISSING_AUTHENTICATION_TOKEN')
    const leave = bursts.enter(request.method ?? 'GET', route.resourcePath)
    if (leave === undefined) return refuse('THROTTLED')
    const event = makeProxyEvent({ request, route, body, requestId, time: now() })
    // A function goes on after the gateway has given it up.
    const invocation = functions.invoke(route.functionArn, event, requestId).finally(leave)
    const result = await Promise.race([invocation, timeOut(limits.integrationMs)])
    if (result === undefined) return refuse('INTEGRATION_TIMEOUT')
    const answer = result.outcome === 'returned' ? v.safeParse(answerSchema, JSON.parse(result.payload)) : undefined
    if (!answer?.success) return refuse('INTEGRATION_FAILURE')
    const { statusCode, headers, multiValueHeaders, body: text, isBase64Encoded } = answer.output
    for (const [name, value] of Object.entries({ ...headers, ...multiValueHeaders })) {
      response.setHeader(remapped[name.toLowerCase()] ?? name, typeof value === 'boolean' ? String(value) : value)
    }
    response.writeHead(statusCode).end(Buffer.from(text, isBase64Encoded ? 'base64' : 'utf8'))
  }

  return (request, response) => {
    const requestId = newRequestId()
    const refuse = (fault: GatewayFault) => {
      const { status, headers, body } = gatewayResponse(fault, requestId)
      response.writeHead(status, headers).end(body)
    }
    // Only a client that disconnects mid-request, or a bug in this file, gets here.
    serve(request, response, requestId, refuse).catch(() =>
      response.headersSent ? response.destroy() : refuse('INTEGRATION_FAILURE'),
    )
  }
}

function timeOut(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds, undefined).unref())
}
