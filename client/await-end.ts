import { greatest, type Search } from './api.ts'
import type { CallOptions, Transport } from './transport.ts'

/**
 * Asks for a search until it has ended or the time is over, by calls that wait for it. The service answers earlier if
 * all places to wait are taken; the next call then comes after the pause that the service asks for.
 *
 * @param seconds 0 for one look
 * @returns the search as the last call had it
 */
export async function awaitEnd(
  transport: Transport,
  jobId: string,
  seconds: number,
  options?: CallOptions,
): Promise<Search> {
  const { now, sleep } = transport
  const path = { job_id: jobId }
  const end = now() + seconds * 1000
  for (;;) {
    const askedAt = now()
    const wait = Math.max(0, Math.min(greatest['get-search'].wait, Math.round((end - askedAt) / 1000)))
    const query = wait > 0 ? { wait } : {}
    const { body, retryAfterSeconds = 15 } = await transport.call('get-search', { path, query }, options)
    const leftMs = end - now()
    if (body.status === 'completed' || body.status === 'failed' || leftMs < 1000) return body
    // An answer that came early had no place to wait.
    const isEarly = now() - askedAt < wait * 1000
    if (isEarly) await sleep(Math.min(retryAfterSeconds * 1000, leftMs), options?.signal)
  }
}
