import { describeSearch } from '../describe-search.ts'
import { waitForEnd } from '../follow-search.ts'
import { checkSearch, nameSearch } from '../search-arguments.ts'
import { defineTool } from '../tool.ts'

export const startSearch = defineTool('start_search', {
  title: 'Start a search for rows',
  description:
    'Starts a search for single prices with their providers, terms and files, and waits a little for its end. Use it to explain a number or to name providers; for statistics summarise_rates is cheaper. Read its rows with read_rows. If it is still running, call get_search. A repeated call on the same day returns the same search.',
  startsSearches: true,
  async answer(session, args, signal) {
    const checked = await checkSearch(session, args, signal)
    if (checked.request === undefined) return checked.answer
    const idempotencyKey = nameSearch(checked.request, args, session.now())
    const { job_id } = await session.calls.create(checked.request, { idempotencyKey, signal })
    const search = await waitForEnd(session, job_id, args.wait_seconds, signal)
    const { warnings } = checked.estimate
    const answer = await describeSearch(session, search, signal)
    return warnings.length > 0 ? { ...answer, warnings: warnings.slice(0, 5) } : answer
  },
})
