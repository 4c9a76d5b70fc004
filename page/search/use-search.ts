import { useEffect, useState } from 'preact/hooks'
import type { CompletedSearch, Search } from '../../client/api.ts'
import { useSession } from '../service.ts'

/** A search that is watched. */
export interface WatchedSearch {
  readonly search?: Search
  readonly error?: unknown
  /** Polls now: after an error, or for fresh URLs. */
  readonly ask: () => void
  /** Has the URLs of a completed search signed anew, shows them and returns them. */
  readonly renew: () => Promise<CompletedSearch>
  /** Shows the answer of another call. */
  readonly show: (search: Search) => void
}

/** Time before its URLs expire when a search is polled again, in milliseconds. */
const renewMs = 60_000

/** Watches a search until it has ended, and then keeps its URLs fresh. */
export function useSearch(jobId: string): WatchedSearch {
  const { transport } = useSession()
  const [search, setSearch] = useState<Search>()
  const [error, setError] = useState<unknown>()
  const [asked, setAsked] = useState(0)
  useEffect(() => {
    const ended = new AbortController()
    const watch = async () => {
      for (;;) {
        const { body, retryAfterSeconds = 15 } = await transport.call(
          'get-search',
          { path: { job_id: jobId } },
          { signal: ended.signal },
        )
        setError(undefined)
        setSearch(body)
        if (body.status === 'failed') return
        const isDone = body.status === 'completed'
        const waitMs = isDone ? Date.parse(body.expires_at) - Date.now() - renewMs : retryAfterSeconds * 1000
        // If the clock is wrong, URLs may always seem to have expired.
        await transport.sleep(Math.max(isDone ? renewMs : 1000, waitMs), ended.signal)
      }
    }
    watch().catch((failure: unknown) => {
      if (!ended.signal.aborted) setError(failure)
    })
    return () => ended.abort()
  }, [jobId, transport, asked])
  const ask = () => {
    setError(undefined)
    setAsked((times) => times + 1)
  }
  const renew = async () => {
    const { body } = await transport.call('get-search', { path: { job_id: jobId } })
    setSearch(body)
    if (body.status !== 'completed') throw new TypeError('the search has no result any more')
    return body
  }
  return { ...(search && { search }), ...(error !== undefined && { error }), ask, renew, show: setSearch }
}
