/** An output stream, to which no text can write escape sequences. */
export interface Output {
  readonly isTTY: boolean
  /** Width of the terminal; 0 if it is not known. */
  readonly columns: number
  write(text: string): unknown
  clearLine(): unknown
}

/** Calls back at an interval until stopped. */
export type Repeat = (seconds: number, call: () => void) => { stop(): void }

/** The process as the command line sees it; tests pass a substitute. */
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
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  readonly repeat: Repeat
  /** The date and time, for texts and ages that are measured in days. */
  readonly today: () => Date
  /** Folder for the states of searches, if the environment does not name one. */
  readonly home: string
  readonly platform: string
}
