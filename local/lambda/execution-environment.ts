import { extname } from 'node:path'
import type { Writable } from 'node:stream'
import { Worker } from 'node:worker_threads'
import type { EarlyEnd, InvocationResult } from '../peers.ts'
import type { FunctionDefinition } from './function-definition.ts'

export type ExecutionEnvironment = ReturnType<typeof startExecutionEnvironment>

/** In the package, this code and the script are compiled to JavaScript. */
const script = new URL(`./worker${extname(import.meta.filename)}`, import.meta.url)

/**
 * Heap limits of an environment. By default a thread gets the process's limits of several gigabytes, and V8 collects
 * little until it gets near them: forty environments would mostly hold garbage.
 */
const heap = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 }

/**
 * Starts an execution environment of a function: a worker thread that serves one invocation at a time with its own
 * environment variables. `process.exit` in a handler ends only this environment.
 */
export function startExecutionEnvironment(definition: FunctionDefinition, log: Writable) {
  const worker = new Worker(script, {
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
  let hasTimedOut = false
  worker.once('exit', () => {
    isDead = true
  })
  // Without a listener, an error in a worker would end the process. The exit event follows and ends the invocation.
  worker.on('error', (error) => {
    isDead = true
    log.write(`${JSON.stringify({ event: 'environment broke', error: String(error) })}\n`)
  })

  return {
    get isDead(): boolean {
      return isDead
    },
    /** Runs one invocation. After a crash or timeout the environment is dead. */
    invoke: async (event: unknown, requestId: string): Promise<InvocationResult> => {
      const settled = new AbortController()
      const timer = setTimeout(() => {
        isDead = hasTimedOut = true
        worker.terminate()
      }, definition.timeoutSeconds * 1000)
      worker.ref()
      worker.postMessage({ event, requestId })
      try {
        return await Promise.race([
          hear<InvocationResult>(worker, 'message', settled.signal),
          hear(worker, 'exit', settled.signal).then((code) =>
            hasTimedOut ? describeTimeout(definition.timeoutSeconds, requestId) : describeExit(code, requestId),
          ),
        ])
      } finally {
        clearTimeout(timer)
        settled.abort()
        worker.unref()
      }
    },
    /** Ends the environment in the middle of its work, as a failing host or an early timeout would. */
    end: (how: EarlyEnd): void => {
      isDead = true
      hasTimedOut = how === 'time-out'
      worker.terminate()
    },
    close: async (): Promise<void> => {
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

/** Waits for the next event of a kind. `events.once` would reject on an error event, before the exit arrives. */
function hear<Fact>(worker: Worker, event: 'message' | 'exit', signal: AbortSignal): Promise<Fact> {
  return new Promise((resolve) => {
    worker.once(event, resolve)
    signal.addEventListener('abort', () => worker.off(event, resolve), { once: true })
  })
}
