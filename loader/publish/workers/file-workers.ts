import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { sourceTables } from '../../../schema/columns/warehouse-tables.ts'
import { PrintableError } from '../../../schema/printable-error.ts'
import { isRemote } from '../../fetch/file-address.ts'
import { LoadRefused } from '../../fetch/load-refused.ts'
import { ChangedWhileRead } from '../../fetch/remote/changed-while-read.ts'
import type { RemoteFiles } from '../../fetch/remote/remote-files.ts'
import { type EncodedFile, encodeFile } from '../../write/encode-file.ts'
import type { LoadRequest } from '../load-request.ts'
import type { FromWorker, ToWorker } from './file-worker.ts'

const script = join(import.meta.dirname, 'file-worker.ts')

/**
 * Arguments of Node for a process that encodes files. Most of what it holds are typed arrays outside the heap. The small heap
 * beside them would be marked whenever the space for new objects had grown, which took a tenth of the time. `npm run load`
 * has the same.
 */
export const heapArguments: readonly string[] = ['--initial-old-space-size=64', '--max-semi-space-size=4']

/** An error in a process that is not its file's. */
class WorkerFailed extends PrintableError {}

/**
 * Processes that encode files of a load, one at a time each: as many as files are encoded at the same time. They are
 * started as they are needed, and end when they are disposed.
 */
export function openFileWorkers(request: LoadRequest, remote?: RemoteFiles) {
  const idle = new Set<ChildProcess>()
  const all = new Set<ChildProcess>()

  function start(): ChildProcess {
    const worker = fork(script, {
      execArgv: [...heapArguments],
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    all.add(worker)
    worker.once('exit', () => {
      all.delete(worker)
      idle.delete(worker)
    })
    send(worker, { kind: 'settings', request, http: remote?.settings })
    return worker
  }

  /** As `encodeFile`, in a worker, by the load's request. A worker that ends by itself refuses its file. */
  const encode: typeof encodeFile = async (path, files, options) => {
    // Standard input is this process's own.
    if (path === '-') return encodeFile(path, files, options)
    options.signal?.throwIfAborted()
    const [worker = start()] = idle
    idle.delete(worker)
    const ended = Promise.withResolvers<EncodedFile>()
    let hasAnswered = false
    const exit = (code: number | null, signal: string | null) => {
      const fault = `the process that read it ended by ${signal ?? `exit code ${code}`}`
      ended.reject(new LoadRefused(path, `${fault}: load it again, with fewer --workers if memory ran out`))
    }
    const abort = () => ended.reject(options.signal?.reason)
    /** @throws what stops the load, such as a table of contents that has changed */
    const renew = async (address: string, denied: string) => {
      const location = await remote?.locations.renew(address, denied)
      send(worker, { kind: 'renewed', address, location })
    }
    const take = (message: FromWorker) => {
      if (message.kind === 'progress') options.onProgress?.(message.progress)
      else if (message.kind === 'renew') renew(message.address, message.denied).catch(ended.reject)
      else if (message.kind === 'failed') ended.reject(new WorkerFailed(message.message))
      else {
        hasAnswered = true
        if (message.kind === 'encoded') ended.resolve(message.file)
        else ended.reject(describeRefusal(message))
      }
    }
    worker.on('message', take).on('exit', exit)
    options.signal?.addEventListener('abort', abort)
    try {
      const location = isRemote(path) ? remote?.locations.current(path) : undefined
      const tables = Object.fromEntries(sourceTables.map((table) => [table.name, files.fileOf(table)]))
      send(worker, { kind: 'encode', path, location, scratch: files.scratch, tables })
      return await ended.promise
    } finally {
      worker.off('message', take).off('exit', exit)
      options.signal?.removeEventListener('abort', abort)
      // A worker that still reads would write into a folder that is removed.
      if (options.signal?.aborted || !hasAnswered) await end(worker)
      else if (!hasEnded(worker)) idle.add(worker)
    }
  }

  return { encode, [Symbol.asyncDispose]: async () => void (await Promise.all([...all].map(end))) }
}

async function end(worker: ChildProcess): Promise<void> {
  if (hasEnded(worker)) return
  const exited = once(worker, 'exit')
  worker.kill('SIGKILL')
  await exited
}

const describeRefusal = ({ hasChanged, file, fault }: Extract<FromWorker, { kind: 'refused' }>) =>
  hasChanged ? new ChangedWhileRead(file) : new LoadRefused(file, fault)

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

function send(worker: ChildProcess, message: ToWorker): void {
  // A worker that has just ended says so by its exit.
  worker.send(message, () => undefined)
}
