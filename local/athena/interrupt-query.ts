import type { DuckDBConnection } from '@duckdb/node-api'

/** Milliseconds between two interruptions. */
const pause = 20

/**
 * Interrupts what a connection runs once the signal is aborted, until it is disposed. DuckDB forgets an interruption that
 * comes before it has begun the statement, so it is repeated.
 */
export function interruptOnAbort(connection: DuckDBConnection, signal: AbortSignal): Disposable {
  let repeating: NodeJS.Timeout | undefined
  const abort = () => {
    connection.interrupt()
    repeating = setInterval(() => connection.interrupt(), pause)
  }
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return {
    [Symbol.dispose]: () => {
      signal.removeEventListener('abort', abort)
      clearInterval(repeating)
    },
  }
}
