import { type ChildProcess, fork } from 'node:child_process'
import { on, once } from 'node:events'
import { extname, join } from 'node:path'
import { isRemote } from '../../../fetch/file-address.ts'
import { LoadRefused } from '../../../fetch/load-refused.ts'
import { ChangedWhileRead } from '../../../fetch/remote/changed-while-read.ts'
import type { RemoteFiles } from '../../../fetch/remote/remote-files.ts'
import { sourceTables } from '../../../schema/columns/warehouse-tables.ts'
import { PrintableError } from '../../../schema/printable-error.ts'
import { encodeFile } from '../../write/encode-file.ts'
import type { LoadRequest } from '../load-request.ts'
import type { FromWorker, ToWorker } from './file-worker.ts'

/** In the package, this code and the script are compiled to JavaScript. */
const script = join(import.meta.dirname, `file-worker${extname(import.meta.filename)}`)

/**
 * Arguments of Node for a process that encodes files. Its memory is mostly typed arrays outside the heap. Node would
 * mark the small heap beside them whenever the space for new objects had grown, which took a tenth of the time.
 * `npm run load` has the same arguments.
 */
export const heapArguments: readonly string[] = ['--initial-old-space-size=64', '--max-semi-space-size=4']

/** An error in a process that is not caused by its file. */
class WorkerFailed extends PrintableError {}

/**
 * Opens processes that encode the files of a load, each one file at a time. They are started when all others are busy,
 * and end when they are disposed.
 */
export function openFileWorkers(request: LoadRequest, remote?: RemoteFiles) {
  const idle = new Set<ChildProcess>()
  const workers = new Set<ChildProcess>()

  function start(): ChildProcess {
    const worker = fork(script, {
      execArgv: [...heapArguments],
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    workers.add(worker)
    worker.once('exit', () => {
      workers.delete(worker)
      idle.delete(worker)
    })
    send(worker, { kind: 'settings', request, http: remote?.settings })
    return worker
  }

  /** Encodes a file as `encodeFile` does, in a worker. If the worker ends by itself, the file is refused. */
  const encode: typeof encodeFile = async (path, files, options) => {
    // Standard input is this process's own.
    if (path === '-') return encodeFile(path, files, options)
    const { signal, onProgress } = options
    signal?.throwIfAborted()
    const [worker = start()] = idle
    idle.delete(worker)
    let isDone = false
    try {
      const location = isRemote(path) ? remote?.locations.latestUrl(path) : undefined
      const tables = Object.fromEntries(sourceTables.map((table) => [table.name, files.fileOf(table)]))
      send(worker, { kind: 'encode', path, location, scratch: files.scratch, tables })
      for await (const message of listen(worker, signal)) {
        if (message.kind === 'progress') onProgress?.(message.progress)
        else if (message.kind === 'failed') throw new WorkerFailed(message.message)
        else if (message.kind === 'renew') {
          const { address, denied } = message
          // An error stops the load, for example a table of contents that has changed.
          send(worker, { kind: 'renewed', address, location: await remote?.locations.renew(address, denied) })
        } else {
          isDone = true
          if (message.kind === 'encoded') return message.file
          throw message.hasChanged ? new ChangedWhileRead(message.file) : new LoadRefused(message.file, message.fault)
        }
      }
      const fault = `the process that read it ended by ${worker.signalCode ?? `exit code ${worker.exitCode}`}`
      throw new LoadRefused(path, `${fault}: load it again, with fewer --workers if memory ran out`)
    } finally {
      // A worker that still reads would write into a folder that is removed.
      if (signal?.aborted || !isDone) await end(worker)
      else if (!hasEnded(worker)) idle.add(worker)
    }
  }

  return { encode, [Symbol.asyncDispose]: async () => void (await Promise.all([...workers].map(end))) }
}

async function end(worker: ChildProcess): Promise<void> {
  if (hasEnded(worker)) return
  const exited = once(worker, 'exit')
  worker.kill('SIGKILL')
  await exited
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

function send(worker: ChildProcess, message: ToWorker): void {
  // A worker that has just ended says so by its exit.
  worker.send(message, () => undefined)
}

/** Yields the messages of a worker until it ends. Throws if the signal is aborted. */
async function* listen(worker: ChildProcess, signal: AbortSignal | undefined): AsyncGenerator<FromWorker> {
  for await (const [message] of on(worker, 'message', { close: ['exit'], ...(signal && { signal }) })) yield message
}
