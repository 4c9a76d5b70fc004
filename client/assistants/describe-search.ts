import { countOf } from '../../schema/phrases.ts'
import type { CompletedManifest, Manifest, Search } from '../api.ts'
import type { Answer } from './answer.ts'
import { describeSources } from './completed-search.ts'
import type { ToolSession } from './session.ts'
import { describeSummary } from './summary/describe-summary.ts'

/** Describes a search in any state: a completed summary by its statistics, a completed search by what can be read. */
export async function describeSearch(session: ToolSession, search: Search, signal: AbortSignal): Promise<Answer> {
  if (search.status !== 'completed') return describeUnfinished(search)
  const manifest = await session.calls.manifest(search.job_id, { signal })
  if (manifest.status !== 'completed') throw new TypeError(`a completed search is ${manifest.status}`)
  if (search.summary !== undefined) return await describeSummary(session, manifest)
  const { rows, bytes } = manifest
  return { ...describeSources(manifest), rows, bytes, next: nextOfRows(manifest) }
}

/** Describes a search without a result, from its status or its manifest. */
export function describeUnfinished(search: Exclude<Search | Manifest, { readonly status: 'completed' }>): Answer {
  const { job_id, status } = search
  if (search.status === 'failed')
    return {
      state: status,
      job_id,
      error: search.error,
      next: 'Correct what the error names and start another search, with "again": true if it is the same one.',
    }
  return {
    state: status,
    job_id,
    next: 'Call get_search with this job_id, as often as needed: large searches take minutes.',
  }
}

function nextOfRows({ rows, job_id }: CompletedManifest): string {
  if (rows === 0) return 'No rate matches all lists. Search with fewer filters, or another plan.'
  const shell = `rate-search download ${job_id} --out rates/`
  return `Call read_rows with this job_id for some of the ${countOf(rows, 'row')}. For all of them, in a shell: ${shell}`
}
