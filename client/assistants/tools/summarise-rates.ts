import { runSearch } from '../run-search.ts'
import { defineTool } from '../tool.ts'

export const summariseRates = defineTool('summarise_rates', {
  title: 'Summarise rates',
  description:
    'Answers "what does it cost?": statistics of the rates of one or several plans for some codes or providers. A group is a plan, code, modifier, unit, terms and place of service (equal places share a row); groups are never added or averaged. To compare plans, name all of them in one call. With "needs", ask the user before you name a number.',
  startsSearches: true,
  async answer(session, { summary = {}, ...args }, signal) {
    return await runSearch(session, args, { summary }, signal)
  },
})
