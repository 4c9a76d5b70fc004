/** Faults of an SDK call. Those that begin with `once` hit one attempt, which the SDK retries; others hit every one. */
export const faults = {
  'error before': 'the connection breaks before the call is carried out',
  'error after': 'the call is carried out, but the connection breaks before the answer',
  throttled: 'the service throttles the call',
  'server error': 'the service fails with 500',
  conditional: 'the condition of the write fails',
  'crash before': 'the function crashes before the call is carried out',
  'crash after': 'the call is carried out, then the function crashes',
  late: 'the call hangs until the function has timed out, and is then carried out',
  'once before': 'like error before, for one attempt',
  'once after': 'like error after, for one attempt',
  'once throttled': 'like throttled, for one attempt',
  'once server error': 'like server error, for one attempt',
} as const

export type Fault = keyof typeof faults

export const faultNames: readonly Fault[] = [
  'error before',
  'error after',
  'throttled',
  'server error',
  'conditional',
  'crash before',
  'crash after',
  'late',
  'once before',
  'once after',
  'once throttled',
  'once server error',
]

/**
 * An answer of Athena that begins another part of the workflow: the query of the first poll ran out of memory, in every
 * poll of that query. It is part of a scenario, and no column of the table.
 */
export type StandingFault = Fault | 'exhausted'

/** A fault planned for an organization's calls of one name. */
export interface PlannedFault {
  readonly call: string
  readonly fault: StandingFault
  /** @default 'first call' - every attempt of the first call of the name; 'always' - every call of the name */
  readonly scope?: 'first call' | 'always'
}
