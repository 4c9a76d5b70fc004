import { runSearch } from '../run-search.ts'
import { defineTool } from '../tool.ts'

export const startSearch = defineTool('start_search', {
  title: 'Start a search for rows',
  description:
    'Starts a search for single prices with their providers, terms and files, and waits a little for its end. Use it to explain a number or to name providers; for statistics summarise_rates is cheaper. Read its rows with read_rows. Its arguments are those of summarise_rates.',
  describesArguments: false,
  startsSearches: true,
  async answer(session, args, signal) {
    return await runSearch(session, args, {}, signal)
  },
})
