/** Seconds between two lines of a command whose progress nobody watches on a terminal. */
export const heartbeatSeconds = 30

/** Calls back at an interval until it is stopped; tests bring their own. */
export type Repeat = (seconds: number, call: () => void) => { stop(): void }

/** Repeats by the clock; the timer keeps no process alive. */
export const repeatByClock: Repeat = (seconds, call) => {
  const timer = setInterval(call, seconds * 1000).unref()
  return { stop: () => clearInterval(timer) }
}

/**
 * Writes a line every 30 seconds, so that a log shows that long work goes on. A terminal gets none: what is shown there
 * changes by itself.
 *
 * @param describe the line, or undefined while there is nothing to say
 */
export function startHeartbeat(
  output: { readonly isTTY?: boolean; write(text: string): unknown },
  describe: () => string | undefined,
  repeat: Repeat = repeatByClock,
): { stop(): void } {
  if (output.isTTY) return { stop: () => {} }
  return repeat(heartbeatSeconds, () => {
    const line = describe()
    if (line !== undefined) output.write(`${line}\n`)
  })
}
