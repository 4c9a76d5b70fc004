import type { Writable } from 'node:stream'
import { Worker } from 'node:worker_threads'
import type { FunctionDefinition } from './function-definition.ts'
import type { InvocationResult } from './worker.ts'

/** How an environment can end before its time. */
export type EarlyEnd = 'crash' | 'time-out'

/**
 * One execution environment of a function: a worker thread that serves one invocation at a time, with variables of its
 * own, so that `process.exit` in a handler ends this environment and nothing else.
 */
export interface Environment {
  /** Runs one invocation; after a crash or time-out the environment is dead and says so. */
  invoke(event: unknown, requestId: string): Promise<InvocationResult>
  readonly isDead: boolean
  /** Ends it in the middle of whatever it does: as a host that breaks does, or as its time-out would, only sooner. */
  end(how: EarlyEnd): void
  close(): Promise<void>
}

/**
 * What an environment's heap may grow to. A thread is given the process's own limits, gigabytes, and V8 is slow to collect
 * what is far from its limit: forty environments then hold garbage for the most part, and more of it with every job.
 */
const heap = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 }

export function startEnvironment(definition: FunctionDefinition, log: Writable): Environment {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    env: { ...definition.environment },
    workerData: { bundle: definition.bundle },
    resourceLimits: heap,
    stdout: true,
    stderr: true,
  })
  worker.stdout.pipe(log, { end: false })
  worker.stderr.pipe(log, { end: false })
  worker.unref()
  let isDead = false
  let timedOut = false
  worker.once('exit', () => {
    isDead = true
  })
  // Without a listener an error in a worker would end the whole process; its exit, which follows, says all that is needed.
  worker.on('error', (error) => {
    isDead = true
    log.write(`${JSON.stringify({ event: 'environment broke', error: String(error) })}\n`)
  })

  return {
    get isDead() {
      return isDead
    },
    invoke: async (event, requestId) => {
      const settled = new AbortController()
      const timer = setTimeout(() => {
        isDead = timedOut = true
        worker.terminate()
      }, definition.timeoutSeconds * 1000)
      worker.ref()
      worker.postMessage({ event, requestId })
      try {
        return await Promise.race([
          hear<InvocationResult>(worker, 'message', settled.signal),
          hear(worker, 'exit', settled.signal).then((code) =>
            timedOut ? describeTimeout(definition.timeoutSeconds, requestId) : describeExit(code, requestId),
          ),
        ])
      } finally {
        clearTimeout(timer)
        settled.abort()
        worker.unref()
      }
    },
    end: (how) => {
      isDead = true
      timedOut = how === 'time-out'
      worker.terminate()
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

/** Waits for the next event of a kind. `events.once` would give up at an error, and then the exit is still to come. */
function hear<Fact>(worker: Worker, event: 'message' | 'exit', signal: AbortSignal): Promise<Fact> {
  return new Promise((resolve) => {
    worker.once(event, resolve)
    signal.addEventListener('abort', () => worker.off(event, resolve), { once: true })
  })
}
