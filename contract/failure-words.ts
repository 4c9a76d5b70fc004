/**
 * Explanations of failed searches, by the word with which the error begins: the cause, and the client's next step.
 * docs/api.md has the same texts.
 */
export const failureWords = {
  unsupported_fee_schedule: 'a payer, plan or plan id is not in the catalogue: correct it, see `GET /v1/fee-schedules`',
  ambiguous_fee_schedule: 'plans of one name have different rates: use the names that the sentence lists',
  not_loaded:
    'the operator loaded only part of these rates, or must load them again: ask only for what was loaded, or ask the operator',
  not_kept: 'the rates of the day in `as_of` are not kept: name the first day that the sentence names, or a later one',
  too_broad: 'the search reads more data or needs more memory than the service allows: do what the sentence says',
  result_too_large: 'the result is larger than the service allows: narrow the filter that the sentence names',
  timeout: 'the search waited or ran longer than the service allows: narrow it, or try again later',
  nothing_read: 'no file of these rates was read, although they have rows: tell the operator',
  file_missing: 'a file of these rates is missing: tell the operator, who can load them again',
  cancelled: 'somebody of the organization cancelled it',
  internal: 'internal error: submit the search again; if it persists, contact support and quote the job id',
} as const

export type FailureWord = keyof typeof failureWords

export const isFailureWord = (word: string): word is FailureWord => Object.hasOwn(failureWords, word)
