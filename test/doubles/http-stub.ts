import { listen, readBody } from '../../local/http-server.ts'

/** A call of an AWS API as it arrived. */
export interface Call {
  /** Name of the operation, for the JSON protocols; empty for the others. */
  readonly operation: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

export interface Answer {
  readonly status: number
  readonly body: string
}

export interface HttpStub {
  readonly url: string
  /** The calls so far, retries included. */
  readonly calls: readonly Call[]
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts an endpoint that answers as the test says: for what no local endpoint would do on its own. */
export async function startHttpStub(answer: (call: Call) => Answer | Promise<Answer>): Promise<HttpStub> {
  const calls: Call[] = []
  const server = await listen(async (request, response) => {
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
    const operation = String(request.headers['x-amz-target'] ?? '').replace(/^.*\./, '')
    const body = String(await readBody(request))
    const call: Call = { operation, body, headers: Object.fromEntries(headers) }
    calls.push(call)
    const { status, body: text } = await answer(call)
    response.writeHead(status, { 'content-type': request.headers['content-type'] ?? 'text/plain' }).end(text)
  })
  return { url: server.url, calls, [Symbol.asyncDispose]: () => server.close() }
}

/** Passes a call on to the endpoint that it would have gone to, as far as that endpoint asks for the headers. */
export async function forward(url: string, { body, headers }: Call): Promise<Answer> {
  const kept = ['content-type', 'x-amz-target', 'x-amz-date', 'authorization']
  const passed = Object.fromEntries(kept.map((name) => [name, headers[name] ?? '']))
  const response = await fetch(url, { method: 'POST', headers: passed, body })
  return { status: response.status, body: await response.text() }
}

/** An error as the JSON protocols send it. */
export function refuse(status: number, type: string, facts: object = {}): Answer {
  return { status, body: JSON.stringify({ __type: type, message: type, ...facts }) }
}
