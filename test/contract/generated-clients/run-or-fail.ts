import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { CommandFailed } from '../../../client/command-line/command-errors.ts'

const run = promisify(execFile)

interface RunOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string | undefined>>
}

/**
 * Runs a program and returns its standard output.
 *
 * @param args the first one names the task in the message of a failure
 * @throws CommandFailed with the output of a program that fails
 */
export async function runOrFail(file: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { stdout } = await run(file, args, options).catch(
    ({ stdout: output = '', stderr = '' }: { stdout?: string; stderr?: string }) => {
      throw new CommandFailed(`${file} ${args[0] ?? ''} failed:\n${output}${stderr}`)
    },
  )
  return stdout
}
