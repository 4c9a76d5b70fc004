import { useEffect, useState } from 'preact/hooks'
import type { SearchSummary } from '../../client/api.ts'
import { formatBytes, formatNumber } from '../formats.ts'
import { Heading } from '../heading.tsx'
import { ProblemBox } from '../problem.tsx'
import { newSearchLink, searchLink } from '../routes.ts'
import { useSession } from '../service.ts'
import { describeFailure } from './failures.ts'

interface Listed {
  readonly searches: readonly SearchSummary[]
  /** The next page; null after the last. */
  readonly cursor: string | null
}

/** The searches of the organization, the newest first, each with a link that a colleague can open. */
export function SearchList() {
  const { transport } = useSession()
  const [listed, setListed] = useState<Listed>()
  const [error, setError] = useState<unknown>()
  const read = async (cursor?: string) => {
    setError(undefined)
    try {
      const { body } = await transport.call('list-searches', { query: { limit: 50, ...(cursor && { cursor }) } })
      setListed((before) => ({
        searches: [...((cursor && before?.searches) || []), ...body.searches],
        cursor: body.next_cursor,
      }))
    } catch (failure) {
      setError(failure)
    }
  }
  useEffect(() => {
    read()
  }, [transport])
  return (
    <>
      <Heading>Searches</Heading>
      {error !== undefined && <ProblemBox error={error} onRetry={() => read()} />}
      {listed === undefined && error === undefined && <p role="status">Loading …</p>}
      {listed?.searches.length === 0 && (
        <p>
          Nobody of your organization has searched in the last days. <a href={newSearchLink}>Start a search.</a>
        </p>
      )}
      {listed !== undefined && listed.searches.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard.
        <section class="scroll" aria-label="Searches" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Created</th>
                <th scope="col">Fee schedules</th>
                <th scope="col">State</th>
                <th scope="col" class="number">
                  Rows
                </th>
                <th scope="col" class="number">
                  Size
                </th>
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
        <button type="button" onClick={() => read(listed.cursor ?? undefined)}>
          Show older searches
        </button>
      )}
    </>
  )
}

function Row({ search }: { readonly search: SearchSummary }) {
  const { job_id, created_at, first_fee_schedule: first, fee_schedule_count: count, status } = search
  return (
    <tr>
      <td>
        <a href={searchLink(job_id)}>{new Date(created_at).toLocaleString()}</a>
      </td>
      <td>
        <bdi class="plan">{first.plan}</bdi> <bdi class="payer">{first.payer}</bdi>
        {count > 1 && ` and ${formatNumber(count - 1)} more`}
      </td>
      <td>{status === 'failed' ? describeFailure(search.error).title : status}</td>
      <td class="number">{status === 'completed' ? formatNumber(search.rows) : ''}</td>
      <td class="number">{status === 'completed' ? formatBytes(search.bytes) : ''}</td>
    </tr>
  )
}
