import { useState } from 'preact/hooks'
import type { CompletedSearch, Search, SearchRequest } from '../../client/api.ts'
import { Heading } from '../heading.tsx'
import { ProblemBox } from '../problem.tsx'
import { ResultView } from '../result/result-view.tsx'
import { cancelSearch, useSession } from '../service.ts'
import { Downloads } from './downloads.tsx'
import { SearchFacts, useManifest } from './facts.tsx'
import { describeFailure } from './failures.ts'
import { useSearch } from './use-search.ts'

/** One search: its state while it runs, then its result or why it failed. */
export function SearchView({ jobId }: { readonly jobId: string }) {
  const { search, error, ask, renew, show } = useSearch(jobId)
  const manifest = useManifest(jobId, search?.status)
  return (
    <article>
      <Heading>Search</Heading>
      <p class="help">
        <code>{jobId}</code>
        {search && <> · created {new Date(search.created_at).toLocaleString()}</>}
      </p>
      {search && <Steps search={search} />}
      {manifest && <SearchFacts manifest={manifest} />}
      {error !== undefined && <ProblemBox error={error} onRetry={ask} isReading />}
      {search === undefined && error === undefined && <p role="status">Loading …</p>}
      {search && <State search={search} onAsk={ask} onRenew={renew} onSearch={show} request={manifest?.request} />}
    </article>
  )
}

const steps = [
  ['queued', 'Queued'],
  ['processing', 'Reading rates'],
  ['completed', 'Completed'],
] as const

function Steps({ search: { status } }: { readonly search: Search }) {
  const reached = steps.findIndex(([name]) => name === status)
  if (status === 'failed') return null
  return (
    <ol class="steps" aria-label="Progress">
      {steps.map(([name, label], index) => (
        <li key={name} class={index <= reached ? 'reached' : ''} aria-current={index === reached ? 'step' : undefined}>
          {label}
        </li>
      ))}
    </ol>
  )
}

interface StateProps {
  readonly search: Search
  readonly onAsk: () => void
  readonly onRenew: () => Promise<CompletedSearch>
  readonly onSearch: (search: Search) => void
  readonly request: SearchRequest | undefined
}

function State({ search, onAsk, onRenew, onSearch, request }: StateProps) {
  if (search.status === 'completed')
    return (
      <>
        <Downloads search={search} onRenew={onRenew} />
        <ResultView search={search} request={request} onRenew={onRenew} />
      </>
    )
  if (search.status === 'failed') {
    const { title, advice } = describeFailure(search.error)
    return (
      <div class="problem" role="alert">
        <p>
          <strong>{title}.</strong> {advice}
        </p>
      </div>
    )
  }
  return <Running search={search} onAsk={onAsk} onSearch={onSearch} />
}

function Running({ search, onAsk, onSearch }: Pick<StateProps, 'search' | 'onAsk' | 'onSearch'>) {
  const { transport } = useSession()
  const [error, setError] = useState<unknown>()
  const [isCancelling, setCancelling] = useState(false)
  const cancel = async () => {
    setCancelling(true)
    setError(undefined)
    try {
      onSearch(await cancelSearch(transport, search.job_id))
    } catch (failure) {
      // It may have ended in the meantime; its state will show that.
      onAsk()
      setError(failure)
      setCancelling(false)
    }
  }
  return (
    <>
      <p role="status">
        {search.status === 'queued' ? 'Waiting for its turn.' : 'The rates are being read.'} This page shows the result
        as soon as it is there; the search goes on if you close it.
      </p>
      {error !== undefined && <ProblemBox error={error} />}
      <button type="button" disabled={isCancelling} onClick={cancel}>
        {isCancelling ? 'Cancelling …' : 'Cancel search'}
      </button>
    </>
  )
}
