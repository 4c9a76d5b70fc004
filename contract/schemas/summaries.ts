import * as v from 'valibot'
import { writeLimit } from '../limits.ts'
import { maxRanks, summaryDimensions, summaryOrders, summaryWeights } from '../summaries.ts'
import { closedObject, got, shortListOf } from './requests/request-schemas.ts'
import { describeObject, describeValue, wholeNumber } from './values.ts'

const switchMessage = got('must be true or false')

const weight = describeValue(
  v.picklist(summaryWeights, got(`must be one of ${summaryWeights.join(', ')}`)),
  'The thing that counts once: `tins`, each TIN once for each amount, however many prices or files say so; `prices`, each published price once; `npis`, each NPI once for each amount, without NPI 0. Left out: `tins`.',
  'tins',
)

const by = describeValue(
  shortListOf(
    v.picklist(summaryDimensions, got(`must be one of ${summaryDimensions.join(', ')}`)),
    summaryDimensions.length,
  ),
  'The dimensions that divide rows in addition to payer, plan, code, modifiers, unit, terms and place of service. `state`, `zip` and `taxonomy` are those of providers, and need NPPES.',
  ['state'],
)

const includeDoubtful = describeValue(
  v.boolean(switchMessage),
  'True to count prices with the flags `placeholder`, `outlier_high` and `outlier_low`, which are left out otherwise.',
  true,
)

const countProviders = describeValue(v.boolean(switchMessage), 'True to count the distinct NPIs of each row.', true)

const order = describeValue(
  v.picklist(summaryOrders, got(`must be one of ${summaryOrders.join(', ')}`)),
  'Keeps the first `limit` rows by their medians: who is paid most or least, with `"by": ["tin"]`. Rows are ranked within each plan, code, modifiers, unit and class. Needs `limit`.',
  'highest',
)

const limit = describeValue(
  wholeNumber(maxRanks),
  `The most ranks, 1 to ${writeLimit(maxRanks)}. They are kept for each plan, code, modifiers, unit and class. Rows that share the last rank are all kept, and rows that differ only in their place of service count as one; \`truncated\` says if there were more. Needs \`order\`.`,
  10,
)

const options = {
  include_doubtful: v.exactOptional(includeDoubtful),
  count_providers: v.exactOptional(countProviders),
  order: v.exactOptional(order),
  limit: v.exactOptional(limit),
}

export const summary = v.pipe(
  closedObject(
    { weight: v.exactOptional(weight), by: v.exactOptional(by), ...options },
    {
      message: got('must be an object, {} for all defaults'),
      known: ['by', 'weight', 'include_doubtful', 'count_providers', 'order', 'limit'],
    },
  ),
  v.description(
    'Asks for statistics in place of rows. A row for each payer, plan, code, modifiers, unit, terms and place of service, with the number of values, percentiles and counts. `{}` means all defaults.',
  ),
)

/** Allows unknown fields, as answers do. */
export const appliedSummary = describeObject(
  'The options of a summary, with the defaults filled in; absent for a search for rows.',
  { weight, by, ...options },
)
