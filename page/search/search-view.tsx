import { useMemo, useState } from 'preact/hooks'
import type { CompletedManifest, CompletedSearch, Manifest, Search } from '../../client/api.ts'
import { openFiles } from '../../client/results/shard-file.ts'
import { titleRequest } from '../../client/search-title.ts'
import { besideLink, readView, searchLink } from '../address/routes.ts'
import { useLinked } from '../address/view-link.ts'
import { useChanges } from '../compare/use-changes.ts'
import { describeFailure } from '../display/failures.ts'
import { formatMoment } from '../display/formats.ts'
import { Heading, Title } from '../display/heading.tsx'
import { PartProblem, useLazyPart } from '../display/lazy-part.tsx'
import type { PlanHues } from '../display/plan-hues.ts'
import { HuesContext } from '../display/plan-swatch.tsx'
import { TitleContext } from '../display/saved-files.ts'
import { ResultView } from '../result/result-view.tsx'
import { ProblemBox } from '../service/problem.tsx'
import { useSession } from '../service/service.ts'
import { ChangeLink, Notices, useManifest } from './notices.tsx'
import type { SearchParts } from './search-parts.ts'
import { useSearch } from './use-search.ts'

/** The build of this file: `page/display/lazy-part.tsx` compares it with its own. */
export const build = '{build}'

/** The answer of a result is shown. */
interface Answered {
  readonly hues: PlanHues | undefined
}

/** Shows one search: its state while it runs, then the answer of its result or the reason of its failure. */
export function SearchView({ jobId }: { readonly jobId: string }) {
  const { search, error, ask, renew, show } = useSearch(jobId)
  const manifest = useManifest(jobId, search?.status)
  const isCompleted = search?.status === 'completed'
  const [answered, setAnswered] = useState<Answered>()
  const hasAnswer = answered !== undefined
  const isAfterAnswer = isCompleted && search.summary === undefined
  const isWanted = search !== undefined && (hasAnswer || !isAfterAnswer)
  const part = useLazyPart(() => import('./search-parts.ts'), isWanted)
  const parts = part === undefined || part === 'failed' ? undefined : part.searchParts
  const title = useMemo(() => (manifest ? titleRequest(manifest.request) : []), [manifest])
  return (
    <article>
      <div class={isCompleted ? 'title quiet' : 'title'}>
        <Heading>{title.length === 0 ? 'Search' : <Title parts={title} />}</Heading>
        <span class="links">
          <BesideLink jobId={jobId} isSummary={search?.summary !== undefined} />
          {isCompleted && manifest && <ChangeLink manifest={manifest} />}
        </span>
      </div>
      {!isCompleted && <Identity jobId={jobId} search={search} />}
      {search && !isCompleted && <Steps search={search} />}
      {manifest && !isCompleted && (
        <>
          {parts && <parts.SearchFacts manifest={manifest} />}
          <ChangeLink manifest={manifest} />
        </>
      )}
      {error !== undefined && <ProblemBox error={error} onRetry={ask} isReading />}
      {search === undefined && error === undefined && <p role="status">Loading …</p>}
      <TitleContext.Provider value={title}>
        {search && (
          <State
            search={search}
            onAsk={ask}
            onRenew={renew}
            onSearch={show}
            manifest={manifest}
            parts={parts}
            hues={answered?.hues}
            onAnswer={(hues) => setAnswered({ hues })}
          />
        )}
      </TitleContext.Provider>
      {hasAnswer && part === undefined && <p class="rest">Loading the tables …</p>}
      {part === 'failed' && <PartProblem comfort="Your search and its result are kept." />}
    </article>
  )
}

/** Leads to the other search of the same request, if there is one: from a summary to its rows, and back. */
function BesideLink({ jobId, isSummary }: { readonly jobId: string; readonly isSummary: boolean }) {
  const [beside = ''] = useLinked('beside')
  if (readView(searchLink(beside)).name !== 'search') return null
  return <a href={besideLink(beside, jobId)}>{isSummary ? 'All rows of this search' : 'Summary of this search'}</a>
}

const Identity = ({ jobId, search }: { readonly jobId: string; readonly search: Search | undefined }) => (
  <p class="help">
    <code>{jobId}</code>
    {search && <> · created {formatMoment(search.created_at)}</>}
  </p>
)

const steps = [
  ['queued', 'Accepted'],
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
  readonly manifest: Manifest | undefined
  /** Parts of the view that are loaded after the answer; undefined until they are. */
  readonly parts: SearchParts | undefined
  /** The hues of plans, as soon as the answer is shown; undefined if they need not be told apart. */
  readonly hues: PlanHues | undefined
  /** Is called when the answer of a result is shown. */
  readonly onAnswer: (hues: PlanHues | undefined) => void
}

function State({ search, onAsk, onSearch, ...shared }: StateProps) {
  if (search.status === 'completed') return <Completed search={search} {...shared} />
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

function Completed({
  search,
  onRenew,
  manifest,
  parts,
  hues,
  onAnswer,
}: Omit<StateProps, 'onAsk' | 'onSearch'> & { readonly search: CompletedSearch }) {
  const { client } = useSession()
  const files = useMemo(() => openFiles(search, onRenew, client.transport.fetch), [search.job_id])
  const comparable =
    search.summary === undefined && manifest?.status === 'completed' && isWhole(manifest) ? manifest : undefined
  const changes = useChanges(comparable, files, parts?.compareFiles)
  const notices = manifest && (
    <>
      {comparable && parts && <parts.ChangeLine changes={changes} />}
      {changes && parts === undefined && <p class="read">Comparing with the earlier result …</p>}
      <Notices manifest={manifest} hasSentence={search.summary === undefined} />
    </>
  )
  return (
    <>
      {search.summary === undefined ? (
        <ResultView
          files={files}
          request={manifest?.request}
          plans={manifest?.fee_schedules}
          notices={notices}
          isTruncated={search.truncated === true}
          parts={parts}
          onAnswer={onAnswer}
        />
      ) : (
        <>
          {notices}
          {parts && <parts.SummaryView files={files} summary={search.summary} />}
        </>
      )}
      {parts && comparable && (
        <HuesContext.Provider value={hues}>
          <parts.Comparison manifest={comparable} changes={changes} />
        </HuesContext.Provider>
      )}
      {parts && (
        <details class="about">
          <summary>About this search: its files, dates and requested values</summary>
          <Identity jobId={search.job_id} search={search} />
          {manifest && <parts.SearchFacts manifest={manifest} />}
          <parts.Downloads search={search} onRenew={onRenew} />
        </details>
      )}
    </>
  )
}

/** True if a result has every row and column of its search, so that its prices can be compared with another's. */
const isWhole = ({ truncated, request }: CompletedManifest) => !truncated && request.columns === undefined

function Running({ search, onAsk, onSearch }: Pick<StateProps, 'search' | 'onAsk' | 'onSearch'>) {
  const { client } = useSession()
  const [error, setError] = useState<unknown>()
  const [isCancelling, setCancelling] = useState(false)
  const cancel = async () => {
    setCancelling(true)
    setError(undefined)
    try {
      onSearch(await client.cancel(search.job_id))
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
        {search.status === 'queued'
          ? 'The search was accepted; it normally begins within seconds.'
          : 'The rates are being read.'}{' '}
        This page shows the result as soon as it is there; the search goes on if you close it.
      </p>
      {error !== undefined && <ProblemBox error={error} />}
      <button type="button" disabled={isCancelling} onClick={cancel}>
        {isCancelling ? 'Cancelling …' : 'Cancel search'}
      </button>
    </>
  )
}
