import { usualToolWait } from '../../contract/schemas/tools.ts'
import type { Search, SearchRequest } from '../api.ts'
import { awaitEnd } from '../await-end.ts'
import type { Answer } from './answer.ts'
import { describeSearch } from './describe-search.ts'
import { checkSearch, nameSearch, type SearchArguments } from './search-arguments.ts'
import type { ToolSession } from './session.ts'

/** Maximum number of warnings in an answer. */
const maxWarnings = 5

/**
 * Starts a search unless something is missing in its arguments, waits a little for its end, and describes it.
 *
 * @param result the statistics that the search computes; empty for rows
 */
export async function runSearch(
  session: ToolSession,
  args: SearchArguments,
  result: Pick<SearchRequest, 'summary'>,
  signal: AbortSignal,
): Promise<Answer> {
  const checked = await checkSearch(session, args, signal)
  if (checked.request === undefined) return checked.answer
  const request = { ...checked.request, ...result }
  const idempotencyKey = nameSearch(request, args, session.now())
  const { job_id } = await session.calls.create(request, { idempotencyKey, signal })
  const search = await waitForEnd(session, job_id, args.wait_seconds, signal)
  const { warnings } = checked.estimate
  const answer = await describeSearch(session, search, signal)
  return warnings.length > 0 ? { ...answer, warnings: warnings.slice(0, maxWarnings) } : answer
}

/**
 * Waits until a search has ended, or as long as was asked for.
 *
 * @param seconds 0 for one look
 * @returns the search as it is then
 */
export const waitForEnd = (
  { calls }: ToolSession,
  jobId: string,
  seconds: number | undefined,
  signal: AbortSignal,
): Promise<Search> => awaitEnd(calls.transport, jobId, seconds ?? usualToolWait, { signal })
