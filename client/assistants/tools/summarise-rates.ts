import { describeSearch } from '../describe-search.ts'
import { waitForEnd } from '../follow-search.ts'
import { checkSearch, nameSearch } from '../search-arguments.ts'
import { defineTool } from '../tool.ts'

export const summariseRates = defineTool('summarise_rates', {
  title: 'Summarise rates',
  description:
    'Answers "what does it cost?": statistics of the rates of one or several plans for some codes or providers. A group is a plan, code, modifier, unit, terms and place of service; groups are rows of their own and are never added or averaged. To compare plans, name all of them in one call. With "needs", ask the user before you name a number. If the search is still running, call get_search.',
  startsSearches: true,
  async answer(session, { summary = {}, ...args }, signal) {
    const checked = await checkSearch(session, args, signal)
    if (checked.request === undefined) return checked.answer
    const request = { ...checked.request, summary }
    const idempotencyKey = nameSearch(request, args, session.now())
    const { job_id } = await session.calls.create(request, { idempotencyKey, signal })
    const search = await waitForEnd(session, job_id, args.wait_seconds, signal)
    const { warnings } = checked.estimate
    const answer = await describeSearch(session, search, signal)
    return warnings.length > 0 ? { ...answer, warnings: warnings.slice(0, 5) } : answer
  },
})
