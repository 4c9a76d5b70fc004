import middy, { type MiddlewareObj } from '@middy/core'
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'
import type { Authorize } from '../../core/access/access.ts'
import { Refusal } from '../../core/errors.ts'
import { isJobId } from '../../core/job/job.ts'
import type { Log } from '../../core/log.ts'
import { answerError } from './answer.ts'
import { readJobId, refuseRepetitions, refuseUnknownParameters } from './request.ts'
import { tagAnswer } from './tag-answer.ts'

type Chain = MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult>

/**
 * Wraps a function that answers or throws as a Lambda handler for API Gateway's proxy integration. Every response
 * carries the request id, every error uses the error envelope, and every request logs one line.
 *
 * @param answerRequest gets the dependencies with the request's own log
 */
export function handleHttp<Deps extends { readonly log: Log } & Partial<Authorize>>(
  deps: Deps,
  answerRequest: (event: APIGatewayProxyEvent, deps: Deps) => Promise<APIGatewayProxyResult>,
) {
  return (request: APIGatewayProxyEvent, context: Context): Promise<APIGatewayProxyResult> => {
    const log = openRequestLog(deps.log, requestIdOf(request))
    return middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
      .use(logRequest(log))
      .use(stampRequestId)
      .use(dropBodyOfHead)
      .use(tagAnswer)
      .use(catchErrors(log))
      .before(async ({ event }) => {
        refuseRepetitions(event)
        await refuseUnknownParameters(event, { ...deps, log })
      })
      .handler((event) => answerRequest(event, { ...deps, log }))(request, context)
  }
}

/** A log whose lines have the request's id, and what is noted about it. */
function openRequestLog(log: Log, requestId: string): Log {
  const noted: Record<string, string | number> = { request_id: requestId }
  const write: Log = (event, facts) => log(event, { ...noted, ...facts })
  return Object.assign(write, { note: (facts: typeof noted) => void Object.assign(noted, facts) })
}

/** API Gateway's request id, which clients quote and the access log contains. */
function requestIdOf(event: APIGatewayProxyEvent): string {
  return event.requestContext.requestId
}

/** After every answer, also of an error. */
const atEnd = (work: NonNullable<Chain['after']>): Chain => ({ after: work, onError: work })

const logRequest = (log: Log): Chain =>
  atEnd(({ event, response }) => {
    const facts = { status: response?.statusCode ?? 0, address: event.requestContext.identity.sourceIp }
    const jobId = readJobId(event)
    // Anything else in the path could be a secret, such as a pasted API key.
    log('answered', isJobId(jobId) ? { ...facts, job_id: jobId } : facts)
  })

const stampRequestId = atEnd((request) => {
  const { response } = request
  if (response)
    request.response = { ...response, headers: { ...response.headers, 'X-Request-Id': requestIdOf(request.event) } }
})

/** The answer to HEAD has the status and headers of GET, errors included. Source: RFC 9110, section 9.3.2. */
const dropBodyOfHead = atEnd((request) => {
  const { event, response } = request
  if (response && event.httpMethod === 'HEAD') request.response = { ...response, body: '' }
})

function catchErrors(log: Log): Chain {
  return {
    onError: (request) => {
      const { error, event } = request
      if (!(error instanceof Refusal)) log('request broke', describeCause(error))
      request.response = answerError(error, requestIdOf(event))
    },
  }
}

/** Describes an unexpected error for the operator: name, message and stack. */
function describeCause(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof Error)) return { error: 'not an error' }
  return { error: error.name, cause: error.message, stack: error.stack ?? '' }
}
