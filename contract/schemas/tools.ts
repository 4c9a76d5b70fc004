import * as v from 'valibot'
import { feeScheduleFilters, payer } from './fee-schedules.ts'

/**
 * Arguments of the tools that assistants call, under the names of the tools. Filters and options are those of the API's
 * calls. All that a question can lack may be left out, because a tool answers with what to ask the user.
 */

/** Maximum number of rows in a tool's answer: an assistant reads all of them. */
export const maxToolRows = 50

export const toolArguments = {
  find_plans: v.strictObject({
    q: v.exactOptional(feeScheduleFilters.q),
    payer: v.exactOptional(payer),
    plan_id: v.exactOptional(feeScheduleFilters.plan_id),
    sponsor: v.exactOptional(feeScheduleFilters.sponsor),
    market: v.exactOptional(feeScheduleFilters.market),
  }),
}
