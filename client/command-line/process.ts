import type { Repeat } from './world.ts'

/** The process of every command line of the repository: `rate-search` and the commands of operators. */

/** Repeats in real time; the timer does not keep the process alive. */
export const repeatByClock: Repeat = (seconds, call) => {
  const timer = setInterval(call, seconds * 1000).unref()
  return { stop: () => clearInterval(timer) }
}

/** Ends the process when its reader closes the pipe early (`| head`), which is not a failure. */
export function endOnClosedPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
}
