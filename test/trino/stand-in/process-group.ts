import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { createInterface } from 'node:readline'

/** A server in a process group of its own. */
export interface ProcessGroup extends AsyncDisposable {
  /** First line that the server printed; rejects with its last output if it ended before. */
  readonly firstLine: Promise<string>
  /** End of the output so far, for messages. */
  lastOutput(): string
  hasEnded(): boolean
}

/** Process ids of the groups that run. */
const groupIds = new Set<number>()

/** Kills all groups, when this process ends in any way that it notices. */
function killAll(): void {
  for (const id of groupIds) killGroup(id)
}

function killGroup(id: number): void {
  groupIds.delete(id)
  try {
    process.kill(-id, 'SIGKILL')
  } catch {
    // The group has no processes left.
  }
}

process.on('exit', killAll)
// Vitest ends a run at the first Ctrl-C by itself, but waits for the running test, which waits for these servers.
process.on('SIGINT', killAll)
for (const signal of ['SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    // With the listeners for the exit, which kill the groups and remove temporary folders.
    process.exit(128 + constants.signals[signal])
  })

/**
 * Starts a server in a process group of its own, which is killed with this process or when the result is disposed.
 *
 * @param cwd working directory
 */
export function startProcessGroup(command: string, args: readonly string[], cwd: string): ProcessGroup {
  // Nothing is written to the standard input, but a server can end when it is closed.
  const child = spawn(command, args, { cwd, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
  const { pid } = child
  if (pid !== undefined) groupIds.add(pid)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output = `${output}${chunk}`.slice(-2000)
    })
  let ended = false
  const end = once(child, 'close')
    .catch((error: unknown) => {
      output = `${output}${String(error)}`
    })
    .then(() => {
      ended = true
    })
  const line = once(createInterface(child.stdout), 'line')
  const firstLine = Promise.race([line, end]).then((lines) => {
    if (lines === undefined) throw new Error(`${command} ended: ${output}`)
    return String(lines[0])
  })
  // A caller that does not need the line never awaits it.
  firstLine.catch(() => {})
  return {
    firstLine,
    lastOutput: () => output,
    hasEnded: () => ended,
    async [Symbol.asyncDispose]() {
      if (pid !== undefined) killGroup(pid)
      await end
    },
  }
}
