import type { RequestListener } from 'node:http'
import type { LocalEndpoint } from '../endpoint.ts'
import { listen } from '../http-server.ts'
import { createApiGateway } from './rest-api.ts'
import type { SignIn } from './sign-in.ts'

/** Longest time in which a request must arrive, in milliseconds: the API takes no uploads. */
const maxReceivingMs = 5_000

/**
 * API Gateway, on a port that can be chosen. It listens from the start, because the stack is synthesised with its URL,
 * and answers 503 until the stack is there.
 *
 * @param port 0 picks a free port
 * @param signIn answers the links that sign in a browser of this machine @default - no link does
 */
export const apiGatewayEndpoint = (port: number, signIn?: SignIn): LocalEndpoint => ({
  start: async ({ now, newId }) => {
    let front: RequestListener = (_, response) => response.writeHead(503).end()
    const answer: RequestListener = (request, response) => {
      const signingIn = signIn?.answer(request, response)
      if (signingIn === undefined) front(request, response)
      // Only a client that disconnects while it sends its token gets here.
      else signingIn.catch(() => response.destroy())
    }
    const server = await listen(answer, port, maxReceivingMs)
    return {
      peers: { apiUrl: server.url },
      begin: async ({ template, peers }) => {
        front = createApiGateway({ template, functions: peers.functions, now, newRequestId: newId })
      },
      close: server.close,
    }
  },
})
