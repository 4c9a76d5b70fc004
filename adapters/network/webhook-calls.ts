import { request as requestPlain } from 'node:http'
import { request } from 'node:https'
import { findTlsFault } from '../../client/network/tls-faults.ts'
import type { CallWebhook } from '../../core/events/ports.ts'
import { AddressRefused, type AddressRules, guardLookup } from './network-addresses.ts'
import { readRemoteUrl } from './remote-address.ts'

/** Longest duration of a whole call, in milliseconds. */
const timeoutMs = 10_000

/**
 * Calls webhooks. Each call has a connection of its own, to an address that was checked when it was dialled; redirects
 * are answers like any other, and the connection ends with the head of the answer.
 */
export function createWebhookCalls(rules: AddressRules, timeout = timeoutMs): CallWebhook {
  return (location, headers, body) =>
    new Promise((resolve) => {
      const fail = (error: unknown) => resolve({ fault: describeFault(error, timeout) })
      try {
        const url = readRemoteUrl(location, rules)
        const calling = (url.protocol === 'https:' ? request : requestPlain)(url, {
          method: 'POST',
          headers: {
            ...headers,
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
            'user-agent': 'rate-search-webhooks',
          },
          agent: false,
          lookup: guardLookup(rules),
          signal: AbortSignal.timeout(timeout),
        })
        calling.on('response', ({ statusCode = 0 }) => {
          resolve({ status: statusCode })
          calling.destroy()
        })
        calling.on('error', fail)
        // An answer that changes the protocol has neither a response nor an error.
        calling.on('close', () => resolve({ fault: 'no answer (connection closed)' }))
        calling.end(body)
      } catch (error) {
        fail(error)
      }
    })
}

/** Never the message of another error: it may have the URL, which may be a secret. */
function describeFault(error: unknown, timeout: number): string {
  if (error instanceof AddressRefused) return `the address ${error.message}`
  const { name = '', code = '' } = error instanceof Error ? { code: undefined, ...error, name: error.name } : {}
  if (name === 'AbortError' || name === 'TimeoutError') return `no answer within ${timeout / 1000} seconds`
  const reason = typeof code === 'string' && code !== '' ? code : name
  return `${findTlsFault(reason)?.fault ?? 'no answer'} (${reason})`
}
