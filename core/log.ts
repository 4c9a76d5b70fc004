type LogFacts = Readonly<Record<string, string | number>>

/** Writes one line to the operator's log: never a key, a URL or a body. */
export interface Log {
  (event: string, facts: LogFacts): void
  /** Adds facts to every later line about the same request; absent outside requests. */
  readonly note?: (facts: LogFacts) => void
}
