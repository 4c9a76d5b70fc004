/** Why a job failed: a word that programs can branch on, and what the client should do. */
export const failureWords = {
  unsupported_fee_schedule: 'a payer or plan is not in the catalogue: correct the names, see GET /v1/fee-schedules',
  ambiguous_fee_schedule: 'plans of one name have different rates: name the variants that the message lists',
  not_loaded: 'the operator loaded only part of these rates: ask only for codes and NPIs that were loaded',
  cancelled: 'the client cancelled the job',
  timeout: 'the search took longer than the service allows: narrow it, or try again later',
  too_broad: 'the search reads more data than the service allows: name fewer plans, or add NPIs or codes',
  result_too_large: 'the result is larger than the service allows: narrow the search',
  internal: 'the service failed: submit the search again; if it fails again, contact support',
} as const

export type FailureWord = keyof typeof failureWords
