import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openProgress } from '../command/progress.ts'
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
  using progress = openProgress()
  progress.say(`${action}; the output of the CDK is in ${log.path}`)
  progress.show(log.describeProgress)
  try {
    await runCdk(args, log.write)
  } catch (error) {
    progress.end()
    if (error instanceof CdkFailed) for (const line of log.readEnd()) progress.say(`  ${line}`)
    throw await explainEnd(error, stage, option)
  }
}
