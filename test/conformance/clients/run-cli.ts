import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

const main = join(import.meta.dirname, '../../../client/cli/main.ts')

/** A run of the command line that has ended. */
export interface CliRun {
  readonly output: string
  readonly errors: string
  /** Null if a signal ended it. */
  readonly exitCode: number | null
}

/** Runs `rate-search` in a process without a terminal. */
export async function runCli(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  { input = '', onStart }: { readonly input?: string; readonly onStart?: (child: ChildProcess) => void } = {},
): Promise<CliRun> {
  const child = spawn(process.execPath, [main, ...args], { env: { ...process.env, ...environment } })
  onStart?.(child)
  // The process may end before it has read its input.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const [output, errors, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { output, errors, exitCode }
}
