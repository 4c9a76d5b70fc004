import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/** Runs an npm command without a terminal until it exits. */
export async function runCommandLine(
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = {},
) {
  const child = spawn(process.execPath, [`bin/${command}.ts`, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  })
  const [output, errors, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { output, errors, exitCode }
}
