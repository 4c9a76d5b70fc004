import { usualToolWait } from '../../contract/schemas/tools.ts'
import type { Search } from '../api.ts'
import type { ToolSession } from './session.ts'

/** Pause between two polls, in milliseconds. */
const pollMs = 700

/**
 * Waits until a search has ended, or as long as was asked for.
 *
 * @param seconds 0 for one look
 * @returns the search as it is then
 */
export async function waitForEnd(
  { calls, sleep, now }: ToolSession,
  jobId: string,
  seconds: number | undefined,
  signal: AbortSignal,
): Promise<Search> {
  const end = now().getTime() + (seconds ?? usualToolWait) * 1000
  for (;;) {
    const search = await calls.get(jobId, { signal })
    const remainingMs = end - now().getTime()
    if (search.status === 'completed' || search.status === 'failed' || remainingMs <= 0) return search
    await sleep(Math.min(pollMs, remainingMs), signal)
  }
}
