import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { LoadStep } from '../../schema/load-step.ts'

/** A line of a step's log. */
export type StepLine = Readonly<Record<string, unknown>> & { readonly event: string }

/** A step of a load in a process of its own. */
export interface StepProcess {
  /** Its lines so far. */
  readonly lines: readonly StepLine[]
  /** Resolves with the exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>
  /** Resolves when it logs this event, or has ended. */
  awaitEvent(event: string): Promise<void>
  kill(signal: 'SIGKILL' | 'SIGTERM'): void
}

const program = join(import.meta.dirname, '../../bin/aws-loads/load-step.ts')

export function startStep(step: LoadStep, environment: Readonly<Record<string, string>>): StepProcess {
  const child = spawn(process.execPath, [program, step], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...environment, http_proxy: '', HTTP_PROXY: '' },
  })
  const lines: StepLine[] = []
  const waiting = new Set<() => void>()
  const tell = () => {
    for (const look of waiting) look()
  }
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(JSON.parse(line))
    tell()
  })
  const ended = once(child, 'close').then(([code, signal]): number | NodeJS.Signals => code ?? signal)
  return {
    lines,
    ended,
    awaitEvent: (event) =>
      new Promise((resolve) => {
        const look = () => {
          if (lines.some((line) => line.event === event) || child.exitCode !== null || child.signalCode !== null) {
            waiting.delete(look)
            resolve()
          }
        }
        waiting.add(look)
        look()
        void ended.then(look)
      }),
    kill: (signal) => void child.kill(signal),
  }
}
