import { randomUUID } from 'node:crypto'
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda'

/** The parts of a request that a test specifies; the gateway adds the others. A list holds repeated values. */
export interface Request {
  readonly method?: string
  readonly path?: string
  /** The API resource of the path. @default - the path itself */
  readonly resource?: string
  readonly token?: string | undefined
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Buffer
  readonly pathParameters?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | readonly string[]>>
}

/** A response as a client sees it. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  /** The parsed body; undefined if there is none. */
  readonly body: unknown
  /** The body as sent over the wire. */
  readonly text: string
  readonly requestId: string
}

type Handler = (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>

/** Sends a request through a handler's whole middleware chain. */
export async function send(handler: Handler, request: Request): Promise<Answer> {
  const requestId = randomUUID()
  const { statusCode, headers = {}, body } = await handler(makeProxyEvent(request, requestId), makeContext(requestId))
  return { status: statusCode, headers, body: body === '' ? undefined : JSON.parse(body), text: body, requestId }
}

/** Builds API Gateway's event of a request (payload version 1.0); a Buffer becomes Base64. */
export function makeProxyEvent(request: Request, requestId: string): APIGatewayProxyEvent {
  const { method = 'GET', path = '/', resource = path, token, body, pathParameters = null, query = null } = request
  const headers = { ...(token !== undefined && { Authorization: `Bearer ${token}` }), ...request.headers }
  const listValues = (record: NonNullable<Request['query']>) =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [name, [value].flat()]))
  const lastValues = (record: NonNullable<Request['query']>) =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [name, [value].flat().at(-1) ?? '']))
  return {
    resource,
    path,
    httpMethod: method,
    headers: lastValues(headers),
    multiValueHeaders: listValues(headers),
    queryStringParameters: query && lastValues(query),
    multiValueQueryStringParameters: query && listValues(query),
    pathParameters: pathParameters && { ...pathParameters },
    stageVariables: null,
    requestContext: makeRequestContext(method, path, requestId),
    body: body === undefined ? null : body.toString(Buffer.isBuffer(body) ? 'base64' : 'utf8'),
    isBase64Encoded: Buffer.isBuffer(body),
  }
}

function makeRequestContext(httpMethod: string, path: string, requestId: string) {
  const stranger = {
    accessKey: null,
    accountId: null,
    apiKey: null,
    apiKeyId: null,
    caller: null,
    clientCert: null,
    cognitoAuthenticationProvider: null,
    cognitoAuthenticationType: null,
    cognitoIdentityId: null,
    cognitoIdentityPoolId: null,
    principalOrgId: null,
    sourceIp: '192.0.2.1',
    user: null,
    userAgent: null,
    userArn: null,
  }
  const api = { accountId: '000000000000', apiId: 'local', authorizer: null, protocol: 'HTTP/1.1', stage: 'test' }
  const resource = { resourceId: 'resource', resourcePath: path, path, httpMethod }
  return { ...api, ...resource, identity: stranger, requestId, requestTimeEpoch: Date.now() }
}

/** Lambda's context of the invocation. */
export function makeContext(awsRequestId: string): Context {
  return {
    awsRequestId,
    callbackWaitsForEmptyEventLoop: false,
    functionName: 'function',
    functionVersion: '1',
    invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:function',
    memoryLimitInMB: '512',
    logGroupName: 'group',
    logStreamName: 'stream',
    getRemainingTimeInMillis: () => 10_000,
    done: () => {},
    fail: () => {},
    succeed: () => {},
  }
}
