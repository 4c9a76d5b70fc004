import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startHeartbeat } from '../command/heartbeat.ts'
import { explainEnd } from './require-deployable.ts'
import { CdkFailed, openCdkLog, runCdk } from './run-cdk.ts'

/**
 * Runs the CDK with its output in a file. Shows progress, and after a failure its cause and what is safe to run next.
 *
 * @param stage name of the stage
 * @param option names it to `deploy` and `destroy`
 */
export async function runLogged(
  action: 'Deploying' | 'Destroying',
  args: readonly string[],
  { stage, option }: { readonly stage: string; readonly option: string },
): Promise<void> {
  const log = openCdkLog(join(mkdtempSync(join(tmpdir(), `rate-search-${stage}-`)), 'cdk.log'))
  process.stderr.write(`${action}; the output of the CDK is in ${log.path}\n`)
  const heartbeat = startHeartbeat(process.stderr, log.describeProgress)
  const terminal = showOnTerminal(log.describeProgress)
  try {
    await runCdk(args, log.write)
  } catch (error) {
    terminal.stop()
    if (error instanceof CdkFailed) for (const line of log.readEnd()) process.stderr.write(`  ${line}\n`)
    throw await explainEnd(error, stage, option)
  } finally {
    heartbeat.stop()
    terminal.stop()
  }
}

/** Shows progress on a terminal, in a line that replaces itself. */
function showOnTerminal(describe: () => string | undefined): { stop(): void } {
  if (!process.stderr.isTTY) return { stop: () => {} }
  const clear = '\r\u001B[K'
  const timer = setInterval(() => process.stderr.write(`${clear}${describe() ?? '  preparing'}`), 500)
  return {
    stop: () => {
      clearInterval(timer)
      process.stderr.write(clear)
    },
  }
}
