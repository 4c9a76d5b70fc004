import { setTimeout as wait } from 'node:timers/promises'
import { createFetch } from '../../client/network/create-fetch.ts'
import { processEnvironment } from '../../client/network/proxies.ts'
import { describeFault } from '../command/errors.ts'

/** Calls of a new API before it counts as out of reach: a stage of API Gateway takes seconds to answer. */
const maxCalls = 6

/**
 * Calls the API of a stage without a key, which every working service answers with 401.
 *
 * @param pause milliseconds between two calls
 * @returns the fault, or undefined if the API answers
 */
export async function findApiFault(baseUrl: string, pause = 2500): Promise<string | undefined> {
  for (let call = 1; ; call += 1) {
    const fault = await callOnce(baseUrl)
    if (fault === undefined || call === maxCalls) return fault
    await wait(pause)
  }
}

async function callOnce(baseUrl: string): Promise<string | undefined> {
  try {
    const status = await callWithoutKey(baseUrl, AbortSignal.timeout(10_000))
    return status === 401 ? undefined : `it answers a call without a key with ${status}, not with 401`
  } catch (error) {
    return describeFault(error)
  }
}

/** Calls the API without a key, which a service that works answers with 401. @returns the status of the answer */
export async function callWithoutKey(baseUrl: string, signal: AbortSignal): Promise<number> {
  const { status, body } = await createFetch(processEnvironment)(`${baseUrl}/v1/fee-schedules`, { signal })
  await body?.cancel()
  return status
}
