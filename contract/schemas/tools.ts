import * as v from 'valibot'
import { maxBillingCodeLength, maxMaxBytes } from '../limits.ts'
import { writtenTin } from '../provider-ids.ts'
import { feeScheduleFilters, payer } from './fee-schedules.ts'
import { providerFilters } from './providers.ts'
import { providerNpi, searchFilters } from './requests/search-request.ts'
import { summary } from './summaries.ts'
import { jobId, jobIdValue, ordinal } from './values.ts'
import { billingCodeFilters } from './vocabulary.ts'

/**
 * Arguments of the tools that assistants call, under the names of the tools. Filters and options are those of the API's
 * calls, and assistants are shown the first sentence of each description. All that a question can lack may be left out,
 * because a tool answers with what to ask the user.
 */

/** Maximum number of rows in a tool's answer: an assistant reads all of them. */
export const maxToolRows = 50

/** Longest wait of a tool for the end of a search, in seconds: some clients end a call after half a minute. */
export const maxToolWait = 20

/** Seconds that a tool waits for the end of a search unless its arguments say otherwise. */
export const usualToolWait = 15

/** Number of rows in a tool's answer unless its arguments say otherwise. */
export const usualToolRows = 20

const { fee_schedules: feeSchedules, ...filters } = searchFilters

const waitSeconds = v.exactOptional(
  v.pipe(
    v.number(),
    v.integer(),
    v.minValue(0),
    v.maxValue(maxToolWait),
    v.description(`Seconds to wait for the end of the search, 0 to ${maxToolWait}; left out, ${usualToolWait}.`),
  ),
)

const maxBytes = v.exactOptional(
  v.pipe(
    ordinal,
    v.maxValue(maxMaxBytes),
    v.description(
      'The most bytes that the search may read by its estimate, to be raised only after the user has agreed. Above it nothing is started, and the answer has the figure.',
    ),
  ),
)

const again = v.exactOptional(
  v.pipe(
    v.boolean(),
    v.description('True to run the search again; otherwise an equal search of the same day (UTC) is returned.'),
  ),
)

const ofSearch = { fee_schedules: v.exactOptional(feeSchedules), ...filters }
const ofStart = { max_bytes: maxBytes, again, wait_seconds: waitSeconds }

const limit = v.exactOptional(
  v.pipe(
    ordinal,
    v.maxValue(maxToolRows),
    v.description(`Maximum number of rows, 1 to ${maxToolRows}; left out, ${usualToolRows}.`),
  ),
)

const describeJob = (description: string) => v.pipe(jobIdValue, v.description(description))

export const toolArguments = {
  find_plans: v.strictObject({
    q: v.exactOptional(feeScheduleFilters.q),
    payer: v.exactOptional(payer),
    plan_id: v.exactOptional(feeScheduleFilters.plan_id),
    sponsor: v.exactOptional(feeScheduleFilters.sponsor),
    market: v.exactOptional(feeScheduleFilters.market),
  }),
  find_codes: v.strictObject({
    q: v.exactOptional(billingCodeFilters.q),
    billing_code_type: v.exactOptional(billingCodeFilters.billing_code_type),
  }),
  find_providers: v.strictObject({
    npi: v.exactOptional(v.pipe(providerNpi, v.description('One provider by its NPI, without other arguments.'))),
    tin: v.exactOptional(
      v.pipe(
        v.string(),
        v.regex(writtenTin),
        v.description('A TIN, which nobody can look up: the answer says how to search for it.'),
      ),
    ),
    q: v.exactOptional(providerFilters.q),
    state: v.exactOptional(providerFilters.state),
    zip: v.exactOptional(providerFilters.zip),
    taxonomy: v.exactOptional(providerFilters.taxonomy),
  }),
  summarise_rates: v.strictObject({ ...ofSearch, summary: v.exactOptional(summary), ...ofStart }),
  start_search: v.strictObject({ ...ofSearch, ...ofStart }),
  get_search: v.strictObject({ job_id: jobId, wait_seconds: waitSeconds }),
  compare_summaries: v.strictObject({
    first: v.exactOptional(
      describeJob('The job_id of a completed summary of a plan or a day, or of one of two plans.'),
    ),
    second: v.exactOptional(
      describeJob('The job_id of the summary to compare it with; left out if the first one has exactly two plans.'),
    ),
  }),
  read_rows: v.strictObject({
    job_id: jobId,
    billing_code: v.exactOptional(
      v.pipe(
        v.string(),
        v.minLength(1),
        v.maxLength(maxBillingCodeLength),
        v.description('Only rows of this billing code.'),
      ),
    ),
    npi: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(0), v.description('Only rows of this NPI.'))),
    price_id: v.exactOptional(
      v.pipe(
        v.string(),
        v.minLength(1),
        v.maxLength(64),
        v.description('Explains this one price: every column, its file, and the providers that it holds for.'),
      ),
    ),
    limit,
  }),
}
