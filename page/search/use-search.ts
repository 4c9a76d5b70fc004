import { useEffect, useState } from 'preact/hooks'
import type { Search } from '../../client/api.ts'
import { readCompleted, useSession } from '../service.ts'

/** Time before the URLs of a search expire at which it is polled again, in milliseconds. */
const renewMs = 60_000

/** Watches a search until it has ended, and then keeps its URLs fresh. */
export function useSearch(jobId: string) {
  const { client } = useSession()
  const [search, setSearch] = useState<Search>()
  const [error, setError] = useState<unknown>()
  const [requests, setRequests] = useState(0)
  useEffect(() => {
    const ended = new AbortController()
    const watch = async () => {
      for (;;) {
        let latest: Search | undefined
        for await (latest of client.follow(jobId, { signal: ended.signal })) {
          setError(undefined)
          setSearch(latest)
        }
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
