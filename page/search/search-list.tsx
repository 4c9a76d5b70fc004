import { useEffect, useState } from 'preact/hooks'
import type { SearchListItem } from '../../client/api.ts'
import { formatBytes } from '../../client/command-line/table.ts'
import { titleSearch } from '../../client/search-title.ts'
import { formatNumber } from '../../schema/phrases.ts'
import { describeFailure } from '../failures.ts'
import { Heading } from '../heading.tsx'
import { ProblemBox } from '../problem.tsx'
import { newSearchLink, searchLink } from '../routes.ts'
import { Title } from '../search-title.tsx'
import { useSession } from '../service.ts'

type Status = SearchListItem['status']

const statusNames: Readonly<Record<Status, string>> = {
  queued: 'Queued',
  processing: 'Processing',
  completed: 'Completed',
  failed: 'Failed',
}

const statuses = ['queued', 'processing', 'completed', 'failed'] as const satisfies readonly Status[]

interface Listing {
  readonly searches: readonly SearchListItem[]
  /** The next page; null after the last. */
  readonly cursor: string | null
}

/** Lists the searches of the organization, the newest first. Each has a link that a colleague can open. */
export function SearchList() {
  const { client } = useSession()
  const [listed, setListed] = useState<Listing>()
  const [error, setError] = useState<unknown>()
  const [status, setStatus] = useState<Status>()
  const load = async (signal?: AbortSignal, cursor?: string) => {
    setError(undefined)
    try {
      const query = { limit: 50, ...(status && { status }), ...(cursor && { cursor }) }
      const { body } = await client.transport.call('list-searches', { query }, { ...(signal && { signal }) })
      setListed((before) => ({
        searches: [...((cursor && before?.searches) || []), ...body.searches],
        cursor: body.next_cursor,
      }))
    } catch (failure) {
      if (!signal?.aborted) setError(failure)
    }
  }
  useEffect(() => {
    const ended = new AbortController()
    setListed(undefined)
    load(ended.signal)
    return () => ended.abort()
  }, [client, status])
  return (
    <>
      <Heading>Searches</Heading>
      <div class="filter">
        <label for="status">State</label>
        <select
          id="status"
          value={status ?? ''}
          onChange={({ currentTarget }) => setStatus(statuses.find((each) => each === currentTarget.value))}
        >
          <option value="">All</option>
          {statuses.map((each) => (
            <option key={each} value={each}>
              {statusNames[each]}
            </option>
          ))}
        </select>
      </div>
      {error !== undefined && <ProblemBox error={error} onRetry={() => load()} isReading />}
      {listed === undefined && error === undefined && <p role="status">Loading …</p>}
      {listed?.searches.length === 0 && (
        <p role="status">
          {describeNone(status, listed.cursor !== null)} <a href={newSearchLink}>Start a search.</a>
        </p>
      )}
      {listed !== undefined && listed.searches.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard.
        <section class="scroll" aria-label="Searches" tabIndex={0}>
          <table>
            <thead>
              <tr>
                {['Search', 'State', 'Created', 'Payer', 'Rows', 'Size'].map((name, index) => (
                  <th key={name} scope="col" class={index > 3 ? 'number' : ''}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {listed.searches.map((search) => (
                <Row key={search.job_id} search={search} />
              ))}
            </tbody>
          </table>
        </section>
      )}
      {listed?.cursor && (
        <button type="button" onClick={() => load(undefined, listed.cursor ?? undefined)}>
          Show older searches
        </button>
      )}
    </>
  )
}

function Row({ search }: { readonly search: SearchListItem }) {
  const { job_id, created_at, first_fee_schedule: first, status } = search
  return (
    <tr>
      <td class="search-title">
        <a href={searchLink(job_id)}>
          <Title parts={titleSearch(search)} />
        </a>
      </td>
      <td>{status === 'failed' ? describeFailure(search.error).title : statusNames[status]}</td>
      <td>{new Date(created_at).toLocaleString()}</td>
      <td>
        <bdi class="payer">{'payer' in first && first.payer}</bdi>
      </td>
      <td class="number">{status === 'completed' ? formatNumber(search.rows) : ''}</td>
      <td class="number">{status === 'completed' ? formatBytes(search.bytes) : ''}</td>
    </tr>
  )
}

function describeNone(status: Status | undefined, hasOlder: boolean): string {
  if (hasOlder) return 'None of the latest searches is in this state; there are older ones.'
  if (status !== undefined) return 'No search of your organization is in this state.'
  return 'Your organization has no searches that are still kept.'
}
