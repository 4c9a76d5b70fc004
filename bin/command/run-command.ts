import { describeError, UsageError } from './errors.ts'

/**
 * Runs a command: prints `usage` for `--help`, and ends the process with 0, 1 (failed) or 2 (wrong arguments) and one
 * line on standard error.
 */
export async function runCommand(usage: string, main: (args: readonly string[]) => Promise<void>): Promise<void> {
  // A reader that has seen enough closes the pipe (`| head`); that is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  // An error that nothing caught may leave work half done. The next start recovers from what is stored.
  process.on('uncaughtException', (error) => {
    process.stderr.write(`${describeError(error)}\n`)
    process.exit(1)
  })
  const args = process.argv.slice(2)
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`${usage.trim()}\n`)
    return
  }
  try {
    await main(args)
  } catch (error) {
    process.stderr.write(`${describeError(error)}\n`)
    process.exitCode = error instanceof UsageError ? 2 : 1
  }
  // Timers of stopped executions would keep the process for up to a minute. Flush the output first.
  process.stdout.write('', () => process.exit())
}

/** Waits for Ctrl-C or a termination signal. */
export function waitForStop(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
}
