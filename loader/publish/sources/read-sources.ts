import type { Source } from '../../../core/catalogue/content.ts'
import type { FileFinder, FileToRead } from '../../fetch/file-finder.ts'
import { LoadRefused } from '../../fetch/load-refused.ts'
import { encodeFile } from '../../write/encode-file.ts'
import { FileWorkers } from '../workers/file-workers.ts'
import type { ReadFile, ReadRun } from './read-file.ts'
import { runInOrder } from './run-in-order.ts'
import { openSourceReader } from './source-reader.ts'

/**
 * Reads files into the warehouse, once per content: files with equal bytes are one source. A source is in the warehouse
 * as soon as its file has been read, so that the next load resumes an interrupted one.
 *
 * @returns the outcome of each file, by its path
 */
export async function readSources(files: readonly FileToRead[], run: ReadRun): Promise<ReadonlyMap<string, ReadFile>> {
  const distinct = [...new Map(files.map((file) => [file.path, file])).values()]
  const stopping = new AbortController()
  const signal = AbortSignal.any([stopping.signal, ...(run.deps.signal ? [run.deps.signal] : [])])
  const deps = { ...run.deps, signal }
  const width = Math.min(deps.workers ?? 1, distinct.length)
  // A single file is encoded by this process.
  await using workers = width > 1 ? new FileWorkers(run.request, deps.remote) : undefined
  const reader = await openSourceReader(distinct, { ...run, deps }, workers?.encode ?? encodeFile)
  const read = new Map<string, ReadFile>()
  await runInOrder(distinct.entries(), width, {
    async begin([position, file]) {
      signal.throwIfAborted()
      return reader.begin(file, { file: file.path, index: position + 1, of: distinct.length })
    },
    async settle(begun, [, file]) {
      read.set(file.path, await reader.settle(begun))
    },
    abandon: (begun) => reader.abandon(begun),
    stop: (reason) => stopping.abort(reason),
  })
  // Workers look up addresses by themselves: all are looked up here before any is judged.
  for (const [path, file] of read) if (file.outcome === 'ready') lookUpAll(file.references, path, run.finder)
  // An address in a later file may lead to a file that an earlier one used.
  for (const [path, file] of read) {
    const reason = file.outcome === 'ready' ? findAmbiguity(file.references, path, run.finder) : undefined
    if (reason !== undefined) {
      const error = new LoadRefused(path, `points to an ambiguous file: ${reason}`)
      read.set(path, { outcome: 'refused', error })
    }
  }
  return read
}

function findAmbiguity(references: Source['references'], path: string, finder: FileFinder): string | undefined {
  return lookUpAll(references, path, finder).find((found) => found.outcome === 'ambiguous')?.reason
}

const lookUpAll = (references: Source['references'], path: string, finder: FileFinder) =>
  references.map(({ identity }) => finder.find(identity, path))
