import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parentPort, workerData } from 'node:worker_threads'
import { openPlainPaths } from '../../loader/nppes/plain-paths.ts'
import type { InvocationResult } from '../peers.ts'
import { writeTraceRoot } from './trace.ts'

/**
 * Runs inside a worker thread: one execution environment of one function. Communicates only with
 * execution-environment.ts.
 */

export interface Invocation {
  readonly event: unknown
  readonly requestId: string
}

type Handler = (event: unknown, context: object) => unknown

const loading = loadHandler(String(workerData.bundle))
// The first invocation reports a bundle that cannot be loaded; until then nothing awaits the promise.
loading.catch(() => {})

parentPort?.on('message', async ({ event, requestId }: Invocation) => {
  parentPort?.postMessage(await invoke(event, requestId))
})

async function invoke(event: unknown, requestId: string): Promise<InvocationResult> {
  try {
    const handler = await loading
    process.env['_X_AMZN_TRACE_ID'] = `Root=${writeTraceRoot(requestId)};Sampled=0`
    const payload = await handler(event, { awsRequestId: requestId, callbackWaitsForEmptyEventLoop: false })
    return { outcome: 'returned', payload: JSON.stringify(payload) ?? 'null' }
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error))
    return { outcome: 'threw', errorType: name, errorMessage: message }
  }
}

async function loadHandler(bundle: string): Promise<Handler> {
  // Node refuses to import a path with a backslash, but follows a link to it.
  await using paths = openPlainPaths()
  const url = pathToFileURL(join(await paths.of(dirname(bundle)), basename(bundle)))
  const { handler }: { readonly handler?: Handler } = await import(url.href)
  if (typeof handler !== 'function') throw new TypeError('the bundle exports no handler')
  return handler
}
