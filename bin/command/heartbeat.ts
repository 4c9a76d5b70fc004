import { repeatByClock } from '../../client/command-line/process.ts'
import { heartbeatSeconds } from '../../client/command-line/progress.ts'
import type { Repeat } from '../../client/command-line/world.ts'

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
