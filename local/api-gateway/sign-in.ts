import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { readBody } from '../http-server.ts'

/** The path at which the page exchanges a token for a key. No deployed service has it. */
export const signInPath = '/local/sign-in'

/** Signs a browser of this machine in, without anybody pasting a key. */
export interface SignIn {
  /** Returns a token for the fragment of a link; the first page that presents it gets the key. */
  readonly offer: (key: string) => string
  /** Answers a request that is for `signInPath`. @returns undefined, without touching any other request */
  readonly answer: (request: IncomingMessage, response: ServerResponse) => Promise<void> | undefined
}

/** Names of this machine under which the page may have been opened. */
const hostNames = ['127.0.0.1', 'localhost']

/** Maximum size of a body in bytes; a token has 43 characters. */
const maxBytes = 200

/**
 * Creates the exchange of one-time tokens. It answers only what a browser sends from the page itself: a page of another
 * site is told apart by `Sec-Fetch-Site`, and one that points its own name at this machine (DNS rebinding) by its
 * `Host`. Neither could know a token, nor could another user of this machine.
 *
 * Source: W3C, Fetch Metadata Request Headers, section 2.3: scripts cannot set or change the header.
 */
export function createSignIn(): SignIn {
  const offers = new Set<{ readonly token: Buffer; readonly key: string }>()

  /** Returns the key of a token, and forgets the token. */
  const redeem = (text: string): string | undefined => {
    const token = hash(text)
    const offer = [...offers].find((each) => timingSafeEqual(each.token, token))
    if (offer !== undefined) offers.delete(offer)
    return offer?.key
  }

  const exchange = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await readBody(request, maxBytes)
    const key = isFromPage(request) && body !== undefined ? redeem(body.toString('utf8')) : undefined
    response.setHeader('Cache-Control', 'no-store')
    if (key === undefined) response.writeHead(403).end()
    else response.writeHead(200, { 'Content-Type': 'text/plain' }).end(key)
  }

  return {
    offer: (key) => {
      const text = randomBytes(32).toString('base64url')
      offers.add({ token: hash(text), key })
      return text
    },
    answer: (request, response) => (request.url === signInPath ? exchange(request, response) : undefined),
  }
}

const hash = (text: string) => createHash('sha256').update(text).digest()

function isFromPage({ method, headersDistinct, socket }: IncomingMessage): boolean {
  const { host = [], 'sec-fetch-site': site = [] } = headersDistinct
  const isOwnHost = host.length === 1 && hostNames.some((name) => host[0] === `${name}:${socket.localPort}`)
  return method === 'POST' && isOwnHost && site.length === 1 && site[0] === 'same-origin'
}
