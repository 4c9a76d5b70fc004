import type { DuckDBConnection } from '@duckdb/node-api'

/** Time between two interruptions, in milliseconds. */
const pause = 20

/**
 * Interrupts the statement of a connection once the signal is aborted, until the result is disposed of. DuckDB forgets
 * an interruption that comes before the statement has begun, so it is repeated.
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
