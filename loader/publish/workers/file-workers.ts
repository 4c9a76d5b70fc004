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
import type { FromWorker, ToWorker } from './messages.ts'

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
 * started as they are needed, and end with `Symbol.asyncDispose`.
 */
export class FileWorkers implements AsyncDisposable {
  readonly #request: LoadRequest
  readonly #remote: RemoteFiles | undefined
  readonly #idle = new Set<ChildProcess>()
  readonly #all = new Set<ChildProcess>()

  constructor(request: LoadRequest, remote?: RemoteFiles) {
    this.#request = request
    this.#remote = remote
  }

  /** As `encodeFile`, in a worker, by the load's request. A worker that ends by itself refuses its file. */
  readonly encode: typeof encodeFile = async (path, files, options) => {
    // Standard input is this process's own.
    if (path === '-') return encodeFile(path, files, options)
    options.signal?.throwIfAborted()
    const [worker = this.#start()] = this.#idle
    this.#idle.delete(worker)
    const ended = Promise.withResolvers<EncodedFile>()
    let hasAnswered = false
    const exit = (code: number | null, signal: string | null) => {
      const fault = `the process that read it ended by ${signal ?? `exit code ${code}`}`
      ended.reject(new LoadRefused(path, `${fault}: load it again, with fewer --workers if memory ran out`))
    }
    const abort = () => ended.reject(options.signal?.reason)
    const take = (message: FromWorker) => {
      if (message.kind === 'progress') options.onProgress?.(message.progress)
      else if (message.kind === 'renew') this.#renew(worker, message).catch(ended.reject)
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
      const location = isRemote(path) ? this.#remote?.locations.current(path) : undefined
      const tables = Object.fromEntries(sourceTables.map((table) => [table.name, files.fileOf(table)]))
      send(worker, { kind: 'encode', path, location, scratch: files.scratch, tables })
      return await ended.promise
    } finally {
      worker.off('message', take).off('exit', exit)
      options.signal?.removeEventListener('abort', abort)
      // A worker that still reads would write into a folder that is removed.
      if (options.signal?.aborted || !hasAnswered) await this.#end(worker)
      else if (!hasEnded(worker)) this.#idle.add(worker)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#all].map((worker) => this.#end(worker)))
  }

  /** @throws what stops the load, such as a table of contents that has changed */
  async #renew(worker: ChildProcess, { address, denied }: Extract<FromWorker, { kind: 'renew' }>): Promise<void> {
    const location = await this.#remote?.locations.renew(address, denied)
    send(worker, { kind: 'renewed', address, location })
  }

  #start(): ChildProcess {
    const worker = fork(script, {
      execArgv: [...heapArguments],
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    this.#all.add(worker)
    worker.once('exit', () => {
      this.#all.delete(worker)
      this.#idle.delete(worker)
    })
    send(worker, { kind: 'settings', request: this.#request, http: this.#remote?.settings })
    return worker
  }

  async #end(worker: ChildProcess): Promise<void> {
    if (hasEnded(worker)) return
    const exited = once(worker, 'exit')
    worker.kill('SIGKILL')
    await exited
  }
}

const describeRefusal = ({ hasChanged, file, fault }: Extract<FromWorker, { kind: 'refused' }>) =>
  hasChanged ? new ChangedWhileRead(file) : new LoadRefused(file, fault)

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

function send(worker: ChildProcess, message: ToWorker): void {
  // A worker that has just ended says so by its exit.
  worker.send(message, () => undefined)
}
