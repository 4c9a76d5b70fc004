import type { Repeat } from '../../loader/publish/load-request.ts'

/** Seconds between progress lines when the output is not a terminal. */
export const heartbeatSeconds = 30

/** Repeats in real time; the timer does not keep the process alive. */
export const repeatByClock: Repeat = (seconds, call) => {
  const timer = setInterval(call, seconds * 1000).unref()
  return { stop: () => clearInterval(timer) }
}

/**
 * Writes a line every 30 seconds, so that a log shows that long work is still running. Writes nothing to a terminal,
 * which has live progress.
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
