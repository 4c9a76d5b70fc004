import type { ParseArgsConfig } from 'node:util'
import { parseArgs } from 'node:util'

/** What every command of the project shares: help, one-line errors, exit codes, a clean end. */

/** The command line is not what the command takes; exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Errors that say all that their reader needs. Anything else is a fault of ours and is named as one. */
const plainErrors = new Set([
  'UsageError',
  'PortInUse',
  'FolderInUse',
  'StorageUnusable',
  'LoadRefused',
  'PartitionsNotChanged',
  'SwitchContended',
  'FeeScheduleUnknown',
  'ApiError',
  'DownloadFailed',
  'CommandFailed',
  'RelationUnread',
  'RoleNotAssumed',
  'QueryNotStarted',
])

/** The command could not do what it was asked for; exit code 1. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
}

/**
 * Runs a command: prints `usage` for `--help`, and ends the process with 0, 1 (failed) or 2 (wrong arguments) and one
 * line on standard error.
 */
export async function runCommand(usage: string, main: (args: readonly string[]) => Promise<void>): Promise<void> {
  // A reader that has seen enough closes the pipe (`| head`); that is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  // What nobody caught may have left anything half done: the process ends, and the next start begins from what is stored.
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
  // Timers of stopped executions would keep the process for up to a minute; what was printed goes out first.
  process.stdout.write('', () => process.exit())
}

function describeError(error: unknown): string {
  // Clearing up after a failure has failed as well: the first failure is the one to mend.
  if (error instanceof SuppressedError) return describeError(error.suppressed)
  if (!(error instanceof Error)) return 'error: unknown'
  if (error.name === 'UsageError') return `error: ${error.message} (see --help)`
  if (plainErrors.has(error.name)) return `error: ${error.message}`
  // Libraries say in the cause what there is to mend: that a store is locked, or nobody listens at an address.
  const causes = error.cause instanceof Error ? [error.cause] : []
  const [said, ...because] = [error, ...causes].map(({ message }) => message.split('\n')[0])
  return `error: ${[error.name, said, ...because].join(': ')}`
}

/**
 * Reads options.
 *
 * @throws UsageError in one line
 */
export function readOptions<Config extends ParseArgsConfig>(config: Config): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config)
  } catch (error) {
    throw new UsageError(error instanceof Error ? (error.message.split('. ')[0] ?? '') : 'wrong arguments')
  }
}

/** Reads a port of the command line: 0 to 65535. */
export function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new UsageError(`--port must be a number from 0 to 65535, not "${text}"`)
}

/** Waits for Ctrl-C or a termination signal. */
export function waitForStop(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
}
