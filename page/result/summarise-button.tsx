import { useRef, useState } from 'preact/hooks'
import type { SearchRequest } from '../../client/api.ts'
import { makeIdempotencyKey } from '../../client/search-calls.ts'
import { besideLink, readFragment, readView } from '../address/routes.ts'
import { ProblemBox } from '../service/problem.tsx'
import { useSession } from '../service/service.ts'

/** Starts the summary of the search that is shown, for a result that is too large to be compared on the page. */
export function SummariseButton({ request }: { readonly request: SearchRequest }) {
  const { client } = useSession()
  const [isStarting, setStarting] = useState(false)
  const [error, setError] = useState<unknown>()
  const idempotencyKey = useRef(makeIdempotencyKey())
  const start = async () => {
    const view = readView(readFragment())
    if (view.name !== 'search') throw new TypeError('a result is shown without its search')
    setStarting(true)
    setError(undefined)
    try {
      const options = { idempotencyKey: idempotencyKey.current }
      const { job_id } = await client.create({ ...request, summary: {} }, options)
      location.hash = besideLink(job_id, view.jobId)
    } catch (failure) {
      setError(failure)
      setStarting(false)
    }
  }
  return (
    <>
      <p>
        <button type="button" class="main" disabled={isStarting} onClick={start}>
          {isStarting ? 'Starting …' : 'Summarise'}
        </button>{' '}
        <span class="help">Medians and percentiles of all prices, by plan and code, as a search of its own.</span>
      </p>
      {error !== undefined && <ProblemBox error={error} onRetry={start} />}
    </>
  )
}
