import type { IncomingMessage, ServerResponse } from 'node:http'
import { listen, readBody } from '../../local/http-server.ts'

/** A call of a webhook as received. */
export interface ReceivedCall {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

export interface WebhookReceiver {
  readonly url: string
  readonly calls: readonly ReceivedCall[]
  /** Answers calls; by default with 204. */
  answer: (response: ServerResponse, request: IncomingMessage) => void
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts an address on this machine that receives webhooks. */
export async function startWebhookReceiver(port = 0): Promise<WebhookReceiver> {
  const calls: ReceivedCall[] = []
  const server = await listen(async (request, response) => {
    const body = String(await readBody(request))
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
    calls.push({ body, headers: Object.fromEntries(headers) })
    receiver.answer(response, request)
  }, port)
  const receiver: WebhookReceiver = {
    url: server.url,
    calls,
    answer: (response) => void response.writeHead(204).end(),
    [Symbol.asyncDispose]: () => server.close(),
  }
  return receiver
}
