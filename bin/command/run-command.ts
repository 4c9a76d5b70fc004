import { constants } from 'node:os'
import { UsageError } from '../../client/command-line/command-errors.ts'
import { openOutput } from '../../client/command-line/printable.ts'
import { endOnClosedPipe } from '../../client/command-line/process.ts'
import { repeatInstallation } from './cli-arguments.ts'
import { describeError } from './errors.ts'
import { nameCommands } from './packaged-service.ts'

/**
 * Runs a command: prints `usage` for `--help`, and exits with 0, 1 (failed) or 2 (wrong arguments). A failure is one
 * line on standard error.
 */
export async function runCommand(usage: string, main: (args: readonly string[]) => Promise<void>): Promise<void> {
  endOnClosedPipe()
  // An uncaught error may leave work half done. The next start recovers from what is stored.
  process.on('uncaughtException', (error) => {
    endWith(describeError(error))
  })
  // A command that ends its work in order has listeners of its own, and says so itself.
  process.on('SIGINT', () => {
    if (process.listenerCount('SIGINT') > 1) return
    endWith(`error: ${repeatInstallation(stopAdvice)}`)
  })
  // The CDK and the AWS CLI obey AWS_DEFAULT_REGION and the SDK does not, so they would work in different regions.
  const { AWS_REGION, AWS_DEFAULT_REGION } = process.env
  if (!AWS_REGION && AWS_DEFAULT_REGION) process.env['AWS_REGION'] = AWS_DEFAULT_REGION
  const args = process.argv.slice(2)
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`${nameCommands(usage.trim())}\n`)
    return
  }
  try {
    await main(args)
  } catch (error) {
    process.stderr.write(`${repeatInstallation(describeError(error))}\n`)
    process.exitCode = error instanceof UsageError ? 2 : 1
  }
  // Flush the output, then exit: timers of stopped executions would keep the process alive for up to a minute.
  process.stdout.write('', () => process.exit())
}

/** Ends the process with a line, in place of one that shows progress. */
function endWith(line: string): never {
  const errors = openOutput(process.stderr)
  if (errors.isTTY) errors.clearLine()
  errors.write(`${line}\n`)
  process.exit(1)
}

/** The line of a command that Ctrl-C ends at once. */
let stopAdvice = 'stopped'

/** Sets what Ctrl-C says: what is half done, and how to go on. It says "stopped" again once this is disposed of. */
export function explainStop(advice: string): Disposable {
  stopAdvice = advice
  return {
    [Symbol.dispose]: () => {
      stopAdvice = 'stopped'
    },
  }
}

/**
 * Calls `stop` at the first Ctrl-C or SIGTERM. The second one, of either kind, ends the process immediately, in case
 * its work does not stop.
 */
export function onStopSignal(stop: (signal: 'SIGINT' | 'SIGTERM') => void): void {
  let isStopping = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (isStopping) process.exit(128 + constants.signals[signal])
      isStopping = true
      stop(signal)
    })
}

/** Resolves on Ctrl-C or SIGTERM. */
export function waitForStop(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
}
