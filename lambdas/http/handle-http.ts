import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda'
import { Refusal } from '../../core/errors.ts'
import { isJobId } from '../../core/job/job.ts'
import type { Log } from '../../core/log.ts'
import { answerError } from './answer.ts'
import { readJobId, refuseRepetitions } from './request.ts'

/**
 * Wraps a function that answers or throws as a Lambda handler for API Gateway's proxy integration. Every response
 * carries the request id, every error uses the error envelope, and every request logs one line.
 *
 * @param answerRequest gets the dependencies with the request's own log
 */
export function handleHttp<Deps extends { readonly log: Log }>(
  deps: Deps,
  answerRequest: (event: APIGatewayProxyEvent, deps: Deps) => Promise<APIGatewayProxyResult>,
) {
  return async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
    // Clients quote API Gateway's request id, and the access log contains it.
    const { requestId } = event.requestContext
    const log = openRequestLog(deps.log, requestId)
    const answer = async () => {
      refuseRepetitions(event)
      return answerRequest(event, { ...deps, log })
    }
    const response = await answer().catch((error: unknown) => {
      if (!(error instanceof Refusal)) log('request broke', describeCause(error))
      return answerError(error, requestId)
    })
    logAnswer(log, event, response)
    return {
      ...response,
      headers: { ...response.headers, 'X-Request-Id': requestId },
      // The answer to HEAD has the status and headers of GET, errors included. Source: RFC 9110, section 9.3.2.
      ...(event.httpMethod === 'HEAD' && { body: '' }),
    }
  }
}

/** A log whose lines have the request's id, and what is noted about it. */
function openRequestLog(log: Log, requestId: string): Log {
  const noted: Record<string, string | number> = { request_id: requestId }
  const write: Log = (event, facts) => log(event, { ...noted, ...facts })
  return Object.assign(write, { note: (facts: typeof noted) => void Object.assign(noted, facts) })
}

function logAnswer(log: Log, event: APIGatewayProxyEvent, { statusCode }: APIGatewayProxyResult): void {
  const facts = { status: statusCode, address: event.requestContext.identity.sourceIp }
  const jobId = readJobId(event)
  // Anything else in the path could be a secret, such as a pasted API key.
  log('answered', isJobId(jobId) ? { ...facts, job_id: jobId } : facts)
}

/** Describes an unexpected error for the operator: name, message and stack. */
function describeCause(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof Error)) return { error: 'not an error' }
  return { error: error.name, cause: error.message, stack: error.stack ?? '' }
}
