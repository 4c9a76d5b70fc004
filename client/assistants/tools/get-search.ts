import { maxToolWait } from '../../../contract/schemas/tools.ts'
import { describeSearch } from '../describe-search.ts'
import { waitForEnd } from '../run-search.ts'
import { defineTool } from '../tool.ts'

export const getSearch = defineTool('get_search', {
  title: 'Get a search',
  description: `Returns a search that was started before: its state, and once it has completed its statistics (summarise_rates) or what read_rows can read (start_search). Waits up to ${maxToolWait} seconds for its end. Call it again while the state is queued or processing; large searches take minutes.`,
  async answer(session, { job_id, wait_seconds }, signal) {
    const search = await waitForEnd(session, job_id, wait_seconds, signal)
    return await describeSearch(session, search, signal)
  },
})
