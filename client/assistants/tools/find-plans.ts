import { takeFitting } from '../../../contract/take-fitting.ts'
import type { CatalogueEntry } from '../../api.ts'
import { takeFirst } from '../../take-first.ts'
import { type Answer, maxCharacters, shortText, shortValue, withoutEmpty } from '../answer.ts'
import { partialRemark } from '../completed-search.ts'
import { defineTool } from '../tool.ts'

/** Maximum number of plans in an answer. */
const maxPlans = 20

/** Characters of an answer besides its plans, at most. */
const charactersAround = 300

export const findPlans = defineTool('find_plans', {
  title: 'Find plans',
  description:
    'Finds the payers and plans whose rates can be searched, by words of their names, an EIN or HIOS id, or an employer. Call it first: searches take `payer` and `plan` exactly as it returns them. If several plans fit, ask the user which one. Each plan has the date of its rates and the days on which they changed.',
  async answer({ calls }, filters, signal) {
    const query = { ...filters, pageSize: maxPlans + 1 }
    const entries = await takeFirst(calls.feeSchedules(query, { signal }), maxPlans + 1)
    if (entries.length === 0) return describeNothing(filters)
    const plans = takeFitting(entries.slice(0, maxPlans).map(describePlan), maxCharacters - charactersAround)
    const hasMore = plans.length < entries.length
    return {
      plans,
      ...(hasMore && { left_out: 'There are more plans. Add words of the payer, the plan or the employer.' }),
      next: 'With one plan chosen: summarise_rates for statistics, start_search for rows.',
    }
  },
})

function describeNothing(filters: object): Answer {
  const hasFilters = Object.keys(filters).length > 0
  if (!hasFilters) return { plans: [], next: 'No rates are loaded. The operator of the service loads them.' }
  return {
    plans: [],
    needs: [
      {
        about: 'q',
        ask: 'No plan has all of these words. Which payer and plan does the user mean, or which employer or EIN?',
      },
    ],
    next: 'Call find_plans with fewer words, or only their first letters, or without arguments to list all.',
  }
}

function describePlan(entry: CatalogueEntry) {
  const { payer, plan, last_updated_on, partial, changed_on, plan_ids, plan_id_count } = entry
  return {
    // Searches take these two, so they are never shortened.
    payer,
    plan,
    ...withoutEmpty({
      last_updated_on,
      changed_on: changed_on.slice(-6),
      partial: partial && partialRemark,
      plan_ids: plan_ids.slice(0, 3),
      plan_id_count,
      sponsors: entry.plan_sponsor_names.slice(0, 3).map(shortText),
      markets: entry.plan_market_types,
      networks: shortValue(entry.network_names),
    }),
  }
}
