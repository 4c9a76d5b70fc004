import type { ObservedService } from '../../../local/endpoint.ts'
import type { EndpointAnswer } from '../../local/call-proxy.ts'

/** Throttling and failure answers as each service sends them in its protocol. */

interface Refusal {
  readonly status: number
  readonly code: string
}

/** Sources: each API's reference, "Common Errors"; for DynamoDB and Athena, the errors of the operations. */
const throttled: Readonly<Record<ObservedService, Refusal>> = {
  athena: { status: 400, code: 'TooManyRequestsException' },
  dynamodb: { status: 400, code: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException' },
  events: { status: 400, code: 'ThrottlingException' },
  s3: { status: 503, code: 'SlowDown' },
  states: { status: 400, code: 'ThrottlingException' },
  sts: { status: 400, code: 'Throttling' },
}

const broken: Readonly<Record<ObservedService, Refusal>> = {
  athena: { status: 500, code: 'InternalServerException' },
  dynamodb: { status: 500, code: 'com.amazonaws.dynamodb.v20120810#InternalServerError' },
  events: { status: 500, code: 'InternalException' },
  s3: { status: 500, code: 'InternalError' },
  states: { status: 500, code: 'InternalFailure' },
  sts: { status: 500, code: 'InternalFailure' },
}

export const answerThrottled = (service: ObservedService) => write(service, throttled[service])
export const answerBroken = (service: ObservedService) => write(service, broken[service])

/** Source: DynamoDB API, ConditionalCheckFailedException. */
export const answerConditionFailed = () =>
  write('dynamodb', { status: 400, code: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException' })

/**
 * Answers a poll of a query as Athena does when it ran out of memory. Sources: Athena User Guide, "Athena error
 * catalog"; Athena API, GetQueryExecution.
 */
export const answerExhausted = (queryId: string) => {
  const reason = 'Query exhausted resources at this scale factor'
  const error = { ErrorCategory: 2, ErrorType: 1, Retryable: false, ErrorMessage: reason }
  const execution = {
    QueryExecutionId: queryId,
    Status: { State: 'FAILED', StateChangeReason: reason, AthenaError: error },
    Statistics: { DataScannedInBytes: 1_000_000 },
  }
  return answer(200, 'application/x-amz-json-1.1', JSON.stringify({ QueryExecution: execution }))
}

function write(service: ObservedService, { status, code }: Refusal): EndpointAnswer {
  const error = `<Error><Code>${code}</Code><Message>injected</Message></Error>`
  if (service === 's3') return answer(status, 'application/xml', `<?xml version="1.0"?>${error}`)
  if (service === 'sts')
    return answer(status, 'application/xml', `<ErrorResponse>${error}<RequestId>injected</RequestId></ErrorResponse>`)
  const version = service === 'athena' || service === 'events' ? '1.1' : '1.0'
  const text = JSON.stringify({ __type: code, message: 'injected', Message: 'injected' })
  return answer(status, `application/x-amz-json-${version}`, text)
}

function answer(status: number, type: string, text: string): EndpointAnswer {
  const body = Buffer.from(text)
  return { status, headers: { 'content-type': type, 'content-length': String(body.length) }, body }
}
