import { type FailureWord, isFailureWord } from '../contract/failure-words.ts'

export interface Failure {
  readonly word: FailureWord
  /** A sentence for the client, without internal identifiers or exception texts. */
  readonly sentence: string
}

export function describeFailure({ word, sentence }: Failure): string {
  return `${word}: ${sentence}`
}

export function readFailureWord(error: string): FailureWord {
  const word = error.slice(0, error.indexOf(':'))
  if (isFailureWord(word)) return word
  throw new TypeError(`the error of a failed job does not start with a word: ${word}`)
}

export function hasFailedFor(word: FailureWord, error: string): boolean {
  return error.startsWith(`${word}: `)
}

export const internalFailure: Failure = {
  word: 'internal',
  sentence: 'The search could not be finished. Submit it again; if it fails again, contact support with the job id.',
}

/** The error of a job whose query exceeded the time limit of the service or of Athena. */
export const ranTooLong: Failure = {
  word: 'timeout',
  sentence: 'The search took longer than the service allows. Narrow it, or submit it again later.',
}
