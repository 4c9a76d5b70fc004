import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { Worker } from 'node:worker_threads'
import type { FunctionDefinition } from './function-definition.ts'
import type { InvocationResult } from './worker.ts'

/**
 * One execution environment of a function: a worker thread that serves one invocation at a time, with variables of its
 * own, so that `process.exit` in a handler ends this environment and nothing else.
 */
export interface Environment {
  /** Runs one invocation; after a crash or time-out the environment is dead and says so. */
  invoke(event: unknown, requestId: string): Promise<InvocationResult>
  readonly isDead: boolean
  close(): Promise<void>
}

export function startEnvironment(definition: FunctionDefinition, log: Writable): Environment {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    env: { ...definition.environment },
    workerData: { bundle: definition.bundle },
    stdout: true,
    stderr: true,
  })
  worker.stdout.pipe(log, { end: false })
  worker.stderr.pipe(log, { end: false })
  worker.unref()
  let isDead = false
  worker.once('exit', () => {
    isDead = true
  })
  // Without a listener an error in a worker would end the whole process; its exit says all that is needed.
  worker.on('error', (error) => log.write(`${JSON.stringify({ event: 'environment broke', error: String(error) })}\n`))

  return {
    get isDead() {
      return isDead
    },
    invoke: async (event, requestId) => {
      const settled = new AbortController()
      const { signal } = settled
      worker.ref()
      worker.postMessage({ event, requestId })
      try {
        return await Promise.race([
          once(worker, 'message', { signal }).then(([result]) => result),
          once(worker, 'exit', { signal }).then(([code]) => describeExit(code, requestId)),
          waitFor(definition.timeoutSeconds, signal).then(async () => {
            isDead = true
            await worker.terminate()
            return describeTimeout(definition.timeoutSeconds, requestId)
          }),
        ])
      } finally {
        settled.abort()
        worker.unref()
      }
    },
    close: async () => {
      isDead = true
      await worker.terminate()
    },
  }
}

/** Source: Lambda developer guide, "Runtime.ExitError". */
function describeExit(code: unknown, requestId: string): InvocationResult {
  const errorMessage = `RequestId: ${requestId} Error: Runtime exited with error: exit status ${code}`
  return { outcome: 'threw', errorType: 'Runtime.ExitError', errorMessage }
}

/** Source: Lambda developer guide, "Sandbox.Timedout". */
function describeTimeout(seconds: number, requestId: string): InvocationResult {
  const errorMessage = `RequestId: ${requestId} Error: Task timed out after ${seconds.toFixed(2)} seconds`
  return { outcome: 'threw', errorType: 'Sandbox.Timedout', errorMessage }
}

function waitFor(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, seconds * 1000)
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
  })
}
