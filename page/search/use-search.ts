import { useEffect, useState } from 'preact/hooks'
import type { Search } from '../../client/api.ts'
import { readCompleted, useSession } from '../service/service.ts'

/** Time before the URLs of a search expire at which it is polled again, in milliseconds. */
const renewMs = 60_000

/** Seconds between the first polls, and their number: most searches end before the service wants the second one. */
const [quickSeconds, quickPolls] = [0.7, 4]

/** Watches a search until it has ended, and then keeps its URLs fresh. */
export function useSearch(jobId: string) {
  const { client } = useSession()
  const [search, setSearch] = useState<Search>()
  const [error, setError] = useState<unknown>()
  const [requests, setRequests] = useState(0)
  useEffect(() => {
    const ended = new AbortController()
    /** Polls the search until it has ended, but not more often than this; returns undefined if it goes on. */
    const follow = async (maxPolls: number, pollSeconds?: number): Promise<Search | undefined> => {
      let polls = 0
      const options = { signal: ended.signal, ...(pollSeconds !== undefined && { pollSeconds }) }
      for await (const latest of client.follow(jobId, options)) {
        setError(undefined)
        setSearch(latest)
        polls += 1
        if (latest.status === 'completed' || latest.status === 'failed') return latest
        if (polls === maxPolls) return undefined
      }
      return undefined
    }
    const watch = async () => {
      for (;;) {
        const latest = (await follow(quickPolls, quickSeconds)) ?? (await follow(Number.POSITIVE_INFINITY))
        if (latest?.status !== 'completed') return
        // If the clock is wrong, URLs may always seem to have expired.
        const waitMs = Math.max(renewMs, Date.parse(latest.expires_at) - Date.now() - renewMs)
        await client.transport.sleep(waitMs, ended.signal)
      }
    }
    watch().catch((failure: unknown) => {
      if (!ended.signal.aborted) setError(failure)
    })
    return () => ended.abort()
  }, [jobId, client, requests])
  /** Polls now: after an error, or for fresh URLs. */
  const ask = () => {
    setError(undefined)
    setRequests((count) => count + 1)
  }
  /** Reads a completed search again for freshly signed URLs, shows it and returns it. */
  const renew = async () => {
    const completed = await readCompleted(client, jobId)
    setSearch(completed)
    return completed
  }
  return { search, error, ask, renew, show: setSearch }
}
