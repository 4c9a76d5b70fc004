import { countOf } from '../../schema/phrases.ts'
import type { CompletedManifest, Search } from '../api.ts'
import type { Answer } from './answer.ts'
import { describeSources, readCompleted } from './completed-search.ts'
import { describeSummary } from './describe-summary.ts'
import type { ToolSession } from './session.ts'

/** Describes a search in any state: a completed summary by its statistics, a completed search by what can be read. */
export async function describeSearch(session: ToolSession, search: Search, signal: AbortSignal): Promise<Answer> {
  const { job_id, status } = search
  if (search.status === 'failed')
    return {
      state: status,
      job_id,
      error: search.error,
      next: 'Correct what the error names and start another search, with "again": true if it is the same one.',
    }
  if (search.status !== 'completed')
    return {
      state: status,
      job_id,
      next: 'Call get_search with this job_id, as often as needed: large searches take minutes.',
    }
  const completed = await readCompleted(session, search, signal)
  if (search.summary !== undefined) return await describeSummary(session, completed)
  const { rows, bytes } = completed.manifest
  return { ...describeSources(completed), rows, bytes, next: nextOfRows(completed.manifest) }
}

function nextOfRows({ rows, job_id }: CompletedManifest): string {
  if (rows === 0) return 'No rate matches all lists. Search with fewer filters, or another plan.'
  const shell = `rate-search download ${job_id} --out rates/`
  return `Call read_rows with this job_id for some of the ${countOf(rows, 'row')}. For all of them, in a shell: ${shell}`
}
