import { useEffect, useMemo, useState } from 'preact/hooks'
import type { SearchListItem } from '../../client/api.ts'
import { searchPages } from '../../contract/limits.ts'
import { countOf, formatNumber } from '../../schema/phrases.ts'
import { newSearchLink } from '../address/routes.ts'
import { Heading } from '../display/heading.tsx'
import { ProblemBox } from '../service/problem.tsx'
import { useSession } from '../service/service.ts'
import { describeListed, hasWords, type Status, statuses, statusNames } from './listed-words.ts'
import { SearchTable } from './search-table.tsx'

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
  const [words, setWords] = useState('')
  const load = async (signal?: AbortSignal, cursor?: string) => {
    setError(undefined)
    try {
      const query = { limit: searchPages.default, ...(status && { status }), ...(cursor && { cursor }) }
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
  const rows = useMemo(() => (listed?.searches ?? []).map(describeListed), [listed])
  const shownRows = rows.filter((row) => hasWords(row, words))
  return (
    <>
      <Heading>Searches</Heading>
      <div class="controls">
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
        <div class="filter">
          <label for="words">Words of a search</label>
          <input
            id="words"
            type="search"
            autocomplete="off"
            spellcheck={false}
            placeholder="A code, plan, payer or day"
            value={words}
            onInput={({ currentTarget }) => setWords(currentTarget.value)}
          />
        </div>
        <p class="found" role="status">
          {listed !== undefined && words.trim() !== '' && describeFound(shownRows.length, listed)}
        </p>
      </div>
      {error !== undefined && <ProblemBox error={error} onRetry={() => load()} isReading />}
      {listed === undefined && error === undefined && <p role="status">Loading …</p>}
      {listed?.searches.length === 0 && (
        <p role="status">
          {describeNone(status, listed.cursor !== null)} <a href={newSearchLink}>Start a search.</a>
        </p>
      )}
      {shownRows.length > 0 && <SearchTable rows={shownRows} />}
      {listed?.cursor && (
        <button type="button" onClick={() => load(undefined, listed.cursor ?? undefined)}>
          Show older searches
        </button>
      )}
    </>
  )
}

/** Says how many searches a text finds, and that it does not look through those that are not loaded. */
function describeFound(found: number, { searches, cursor }: Listing): string {
  const older = cursor === null ? '' : ' Older ones are not looked through.'
  return `${formatNumber(found)} of the ${countOf(searches.length, 'search', 'searches')} that are listed.${older}`
}

function describeNone(status: Status | undefined, hasOlder: boolean): string {
  if (hasOlder) return 'None of the latest searches is in this state; there are older ones.'
  if (status !== undefined) return 'No search of your organization is in this state.'
  return 'Your organization has no searches that are still kept.'
}
