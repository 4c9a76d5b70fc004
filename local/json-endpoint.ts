import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import * as v from 'valibot'
import { AwsRefusal } from './aws-refusal.ts'
import { closeToBrowsers, listen, type RunningServer, readBody } from './http-server.ts'

/** Takes the body of a call and returns the body of its answer. @throws AwsRefusal, ValiError */
export type JsonOperation = (input: unknown) => object | Promise<object>

/**
 * Serves a service of AWS that speaks JSON, for calls from this machine.
 * Source: Smithy, "AWS JSON 1.1 protocol".
 *
 * @param operations by name
 * @throws PortInUse
 */
export function startJsonEndpoint(
  operations: Readonly<Record<string, JsonOperation>>,
  port?: number,
): Promise<RunningServer> {
  const listener = closeToBrowsers(async (request, response) => {
    const { status, body } = await answer(operations, request).then((body) => ({ status: 200, body }), describeError)
    response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.1', 'x-amzn-RequestId': randomUUID() })
    response.end(JSON.stringify(body))
  })
  return listen(listener, port)
}

async function answer(operations: Readonly<Record<string, JsonOperation>>, request: IncomingMessage): Promise<object> {
  const body = await readBody(request)
  const name = String(request.headers['x-amz-target']).replace(/^\w+\./, '')
  const operation = Object.hasOwn(operations, name) ? operations[name] : undefined
  if (operation === undefined)
    throw new AwsRefusal(400, 'UnknownOperationException', `${name} is not supported on this machine`)
  if (body === undefined) throw new AwsRefusal(400, 'ValidationException', 'the body is too long')
  return operation(JSON.parse(body.toString()))
}

function describeError(error: unknown) {
  const message = error instanceof Error ? error.message : 'unknown'
  if (error instanceof AwsRefusal)
    return { status: error.status, body: { __type: error.code, message, ...error.facts } }
  if (error instanceof v.ValiError || error instanceof SyntaxError)
    return { status: 400, body: { __type: 'ValidationException', message } }
  return { status: 500, body: { __type: 'InternalServerException', message } }
}
