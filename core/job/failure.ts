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

export interface Failure {
  readonly word: FailureWord
  /** A sentence for the client, without internal identifiers or exception texts. */
  readonly sentence: string
}

/** Formats a failed job's `error`. */
export function describeFailure({ word, sentence }: Failure): string {
  return `${word}: ${sentence}`
}

/** Returns whether a failed job's `error` starts with this word. */
export function hasFailedFor(word: FailureWord, error: string): boolean {
  return error.startsWith(`${word}: `)
}

/** The error of a job that failed unexpectedly. */
export const internalFailure: Failure = {
  word: 'internal',
  sentence: 'The search could not be finished. Submit it again; if it fails again, contact support with the job id.',
}

/** The error of a job whose query exceeded the time limit of the service or of Athena. */
export const ranTooLong: Failure = {
  word: 'timeout',
  sentence: 'The search took longer than the service allows. Narrow it, or submit it again later.',
}
