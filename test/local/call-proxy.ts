import { type IncomingHttpHeaders, request as send } from 'node:http'
import { listen, type RunningServer } from '../../local/http-server.ts'

/** A call in transit to an endpoint. */
export interface PassingCall {
  readonly method: string
  readonly target: URL
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** Resolves when the caller has its response or has disconnected. */
  readonly closed: Promise<void>
}

export interface EndpointAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/**
 * Proxies an endpoint. `answer` decides each call: it can forward the call with `pass`, and returns the response. If it
 * returns nothing, the connection is cut.
 */
export function standBefore(
  url: string,
  answer: (call: PassingCall, pass: () => Promise<EndpointAnswer>) => Promise<EndpointAnswer | undefined>,
): Promise<RunningServer> {
  return listen(async (request, response) => {
    const closed = new Promise<void>((resolve) => response.once('close', resolve))
    const body = await collect(request).catch(() => undefined)
    if (body === undefined) return
    const { method = 'GET', headers } = request
    const call = { method, target: new URL(request.url ?? '/', url), headers, body, closed }
    const chosenAnswer = await answer(call, () => passOn(url, request.url ?? '/', call)).catch(() => undefined)
    if (chosenAnswer === undefined) response.destroy()
    else response.writeHead(chosenAnswer.status, chosenAnswer.headers).end(chosenAnswer.body)
  })
}

function passOn(url: string, path: string, { method, headers, body }: PassingCall): Promise<EndpointAnswer> {
  return new Promise((resolve, reject) => {
    const passed = send(url, { method, headers, path }, (answer) => {
      collect(answer).then(
        (answered) => resolve({ status: answer.statusCode ?? 502, headers: answer.headers, body: answered }),
        reject,
      )
    })
    passed.once('error', reject)
    passed.end(body)
  })
}

async function collect(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}
