import type { FailureWord } from '../../contract/failure-words.ts'

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
