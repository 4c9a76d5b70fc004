/** What can befall an SDK call. `once` hits a single try of it, which the SDK repeats; the others hit every try of one call. */
export const faults = {
  'error before': 'the connection breaks, and nothing was carried out',
  'error after': 'it was carried out, and the connection breaks before the answer',
  throttled: 'the service has no room',
  'server error': 'the service fails with 500',
  conditional: 'the condition of the write does not hold',
  'crash before': 'the environment of the function ends, and nothing was carried out',
  'crash after': 'it was carried out, and the environment of the function ends',
  late: 'it hangs until the function has timed out, and is carried out after that',
  'once before': 'as error before, for one try',
  'once after': 'as error after, for one try',
  'once throttled': 'as throttled, for one try',
  'once server error': 'as server error, for one try',
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

/** A fault that an organization's calls of one name meet. */
export interface PlannedFault {
  readonly call: string
  readonly fault: Fault
  /** @default 'first call' - every try of the first call of the name; 'always' - every call of the name */
  readonly scope?: 'first call' | 'always'
}
