/** Where a command writes. */
export interface Output {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/** Calls back at an interval until stopped. */
export type Repeat = (seconds: number, call: () => void) => { stop(): void }

/** What the command line has of its process: tests pass their own. */
export interface World {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly input: AsyncIterable<Uint8Array>
  /** Results. */
  readonly output: Output
  /** Progress and errors. */
  readonly errors: Output
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal
  readonly newId: () => string
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number
  readonly repeat: Repeat
  /** The time of day, for what is told by dates. */
  readonly today: () => Date
  /** Folder for the states of searches, if the environment does not name one. */
  readonly home: string
  readonly platform: string
}
