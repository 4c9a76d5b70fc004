import { Agent } from 'node:https'

/** Connections through the proxy of HTTPS_PROXY, which the SDK ignores, by the rules of Node; undefined without one. */
const proxyAgent =
  process.env['https_proxy'] || process.env['HTTPS_PROXY']
    ? new Agent({ keepAlive: true, maxSockets: 50, proxyEnv: process.env })
    : undefined

/** Settings of a client of the SDK that bound the time of each request. */
export interface RequestLimits {
  readonly requestHandler: {
    readonly connectionTimeout: number
    readonly requestTimeout: number
    readonly throwOnRequestTimeout: true
    readonly socketTimeout: number
    readonly httpsAgent?: Agent
  }
}

/**
 * Returns settings under which a request fails if it has no response in time, or if the response stalls.
 *
 * By default the SDK waits forever: a connection that a network dropped without a word would hold a function until
 * Lambda ends it, and its caller would get no reason. A request that took too long is sent again, as often as the
 * client's retries allow. Source: AWS SDK for JavaScript developer guide, "Configure HTTP requests".
 *
 * @param milliseconds longest time until a connection is made, longest time until the response begins, and longest
 *   pause within it; a function that is busy for longer takes its connections and responses for lost
 */
export function limitRequests(milliseconds: number): RequestLimits {
  return {
    requestHandler: {
      connectionTimeout: milliseconds,
      requestTimeout: milliseconds,
      throwOnRequestTimeout: true,
      socketTimeout: milliseconds,
      ...(proxyAgent && { httpsAgent: proxyAgent }),
    },
  }
}

/**
 * Number of times that the SDK sends a request by default: four times to DynamoDB, three times to other services.
 * Source: AWS SDKs and Tools Reference Guide, "Retry behavior".
 */
export const sdkAttempts = 4

/**
 * Longest times of requests, in milliseconds. All attempts of a request fit into the timeout of each function that
 * sends it.
 */
export const requestMs = { waiting: 1000, short: 4000, long: 6000, command: 30_000, bulk: 300_000 } as const

/**
 * Limits of requests of a call that waits. The call answers even if they fail, and must answer before API Gateway gives
 * up.
 */
export const waitingRequests = { ...limitRequests(requestMs.waiting), maxAttempts: 2 } as const

/** Limits of requests that AWS answers from memory or an index. */
export const shortRequests = limitRequests(requestMs.short)

/** Limits of requests for many objects, for a part of a large object, or for the start of a query. */
export const longRequests = limitRequests(requestMs.long)

/** Limits of what only commands ask for, also from far away. */
export const commandRequests = limitRequests(requestMs.command)

/** Limits of uploads of 16 MiB over slow lines, and of steps of loads, which a file can keep busy for seconds. */
export const bulkRequests = limitRequests(requestMs.bulk)
