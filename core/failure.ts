/** Why a job failed: one word that programs branch on, and what it asks the client to do. */
export const failureWords = {
  unsupported_fee_schedule: 'a payer or plan is not in the catalogue: correct the names, see GET /v1/fee-schedules',
  cancelled: 'the client cancelled the job',
  timeout: 'the search took longer than the service waits: narrow it, or try again later',
  too_broad: 'the search reads more data than the service allows: name fewer plans, or add NPIs or codes',
  result_too_large: 'the result is larger than the service delivers: narrow the search',
  internal: 'the service failed: submit the search again; if it fails again, contact support',
} as const

export type FailureWord = keyof typeof failureWords

export interface Failure {
  readonly word: FailureWord
  /** A sentence for the client: no identifier of ours, no text of an exception. */
  readonly sentence: string
}

/** A failed job's `error`. Source: specification, "Search job", error. */
export function describeFailure({ word, sentence }: Failure): string {
  return `${word}: ${sentence}`
}

/** Whether a failed job's `error` has this word. */
export function hasFailedFor(word: FailureWord, error: string): boolean {
  return error.startsWith(`${word}: `)
}

/** What clients read when something broke that nobody foresaw. */
export const internalFailure: Failure = {
  word: 'internal',
  sentence: 'The search could not be finished. Submit it again; if it fails again, contact support with the job id.',
}

/** What clients read when a query ran into the service's limit of time, or Athena's. */
export const ranTooLong: Failure = {
  word: 'timeout',
  sentence: 'The search took longer than the service waits. Narrow it, or submit it again later.',
}
