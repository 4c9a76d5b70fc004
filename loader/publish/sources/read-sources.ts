import type { FileToRead } from '../../../fetch/file-finder.ts'
import { LoadRefused } from '../../../fetch/load-refused.ts'
import { Slots } from '../../../fetch/slots.ts'
import { encodeFile } from '../../write/encode-file.ts'
import { openFileWorkers } from '../workers/file-workers.ts'
import type { ReadFile, ReadRun } from './read-file.ts'
import { openSourceReader } from './source-reader.ts'

/**
 * Reads files into the warehouse, once per content: files with equal bytes are one source. A source is in the warehouse
 * as soon as its file has been read, so that the next load resumes an interrupted one.
 *
 * @param files each once, in the order of the load's files
 * @returns the outcome of each file, by its path
 */
export async function readSources(files: readonly FileToRead[], run: ReadRun): Promise<ReadonlyMap<string, ReadFile>> {
  const stopping = new AbortController()
  const signal = AbortSignal.any([stopping.signal, run.deps.signal].filter((each) => each !== undefined))
  const deps = { ...run.deps, signal }
  const width = Math.min(deps.workers ?? 1, files.length)
  // A single file is encoded by this process.
  await using workers = width > 1 ? openFileWorkers(run.request, deps.remote) : undefined
  const readSource = await openSourceReader(files, { ...run, deps }, workers?.encode ?? encodeFile)
  const outcomes = new Map(
    await workInTurn(files, width, stopping, async (file, index, untilTurn) => {
      signal.throwIfAborted()
      const progress = { file: file.path, index: index + 1, of: files.length }
      return [file.path, await readSource({ ...file, position: index }, progress, untilTurn)] as const
    }),
  )
  const lookUp = (path: string, file: ReadFile) =>
    file.outcome === 'ready' ? file.references.map(({ identity }) => run.finder.find(identity, path)) : []
  // An address in a later file, or one that a worker looked up, may lead to a file that an earlier one used.
  for (const [path, file] of outcomes) lookUp(path, file)
  for (const [path, file] of outcomes) {
    const ambiguous = lookUp(path, file).find((found) => found.outcome === 'ambiguous')
    if (ambiguous === undefined) continue
    const error = new LoadRefused(path, `points to an ambiguous file: ${ambiguous.reason}`)
    outcomes.set(path, { outcome: 'refused', error })
  }
  return outcomes
}

/**
 * Works on items, up to `width` in parallel. The last step of each waits for its turn, which comes when all earlier
 * items are done. With a width of 1, each is done before the next is begun.
 *
 * @param stopping ends the work that has begun when other work fails
 * @returns the results, in the order of the items
 * @throws the first error in their order, after everything that was begun has ended
 */
export async function workInTurn<Item, Result>(
  items: readonly Item[],
  width: number,
  stopping: AbortController,
  work: (item: Item, index: number, untilTurn: () => Promise<void>) => Promise<Result>,
): Promise<readonly Result[]> {
  const slots = new Slots(width)
  const results: Promise<Result>[] = []
  const workOn = async (item: Item, index: number, before = results[index - 1]) => {
    using slot = await slots.take()
    if (width === 1) await before
    return await work(item, index, async () => {
      slot[Symbol.dispose]()
      await before
    })
  }
  for (const [index, item] of items.entries()) results.push(workOn(item, index))
  // Node must not take a failure for unhandled while earlier items are worked on.
  for (const result of results) result.catch(() => undefined)
  try {
    // In their order, so that a failure does not end the work on an earlier item.
    const done: Result[] = []
    for (const result of results) done.push(await result)
    return done
  } catch (error) {
    stopping.abort(error)
    await Promise.allSettled(results)
    throw error
  }
}
