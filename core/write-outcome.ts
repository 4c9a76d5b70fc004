/** A write that lost a race is an outcome, not an error: there is nothing left to do. */
export type WriteOutcome = 'written' | 'superseded'
