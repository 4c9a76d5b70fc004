import { listen, readBody } from '../../local/http-server.ts'

/** A call of an AWS API as received. */
export interface Call {
  /** Name of the operation, for the JSON protocols; empty for the others. */
  readonly operation: string
  /** For the REST protocols. */
  readonly path: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

export interface Answer {
  readonly status: number
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface HttpStub {
  readonly url: string
  /** The calls so far, retries included. */
  readonly calls: readonly Call[]
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts an endpoint with responses given by the test, for behaviour that the local endpoints lack. */
export async function startHttpStub(answer: (call: Call) => Answer | Promise<Answer>): Promise<HttpStub> {
  const calls: Call[] = []
  const server = await listen(async (request, response) => {
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
    const operation = String(request.headers['x-amz-target'] ?? '').replace(/^.*\./, '')
    const body = String(await readBody(request))
    const call: Call = { operation, path: request.url ?? '', body, headers: Object.fromEntries(headers) }
    calls.push(call)
    const { status, body: text, headers: others } = await answer(call)
    const type = request.headers['content-type'] ?? 'text/plain'
    response.writeHead(status, { 'content-type': type, ...others }).end(text)
  })
  return { url: server.url, calls, [Symbol.asyncDispose]: () => server.close() }
}

/** Forwards a call to the endpoint that it was meant for, with the headers that the endpoint needs. */
export async function forward(url: string, { body, headers }: Call): Promise<Answer> {
  const kept = ['content-type', 'x-amz-target', 'x-amz-date', 'authorization']
  const passed = Object.fromEntries(kept.map((name) => [name, headers[name] ?? '']))
  const response = await fetch(url, { method: 'POST', headers: passed, body })
  return { status: response.status, body: await response.text() }
}

/** An error response of the AWS JSON protocols. */
export function refuse(status: number, type: string, facts: object = {}): Answer {
  return { status, body: JSON.stringify({ __type: type, message: type, ...facts }) }
}
