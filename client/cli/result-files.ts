import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../errors.ts'
import { CommandFailed, UsageError } from './usage-error.ts'

/**
 * The Parquet files that arguments name, those of folders in the order of their names.
 *
 * @throws UsageError
 */
export async function listResultFiles(paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0) throw new UsageError('give the files of a result, or their folder')
  const lists = await Promise.all(
    paths.map(async (path) => {
      const found = await stat(path).catch((error: unknown) => {
        const code = codeOf(error)
        throw new UsageError(
          code === 'ENOENT' ? `there is no file or folder ${path}` : `${path} cannot be read: ${code}`,
        )
      })
      if (!found.isDirectory()) return [path]
      const files = (await readdir(path)).filter((name) => name.endsWith('.parquet')).sort()
      if (files.length === 0) throw new UsageError(`${path} has no Parquet file`)
      return files.map((name) => join(path, name))
    }),
  )
  return lists.flat()
}

/** What reads results. */
export async function openReader() {
  const reader = await loadLibrary(import('../results/read-result.ts'))
  return {
    listColumns: (path: string) => reader.listColumns(path).catch((error: unknown) => blame(path, error)),
    async *readResult(path: string, columns: readonly string[]) {
      try {
        yield* reader.readResult(path, columns)
      } catch (error) {
        blame(path, error)
      }
    },
  }
}

/**
 * What needs a library that is not installed with the package, which needs none for all else.
 *
 * @throws CommandFailed that says how to install it
 */
export const loadLibrary = <Module>(loading: Promise<Module>): Promise<Module> =>
  loading.catch((error: unknown) => {
    if (codeOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new CommandFailed(
      'results need libraries here: run npm install hyparquet@1.31.5 hyparquet-writer@0.17.0, then this again',
    )
  })

function blame(path: string, error: unknown): never {
  const code = codeOf(error)
  if (code !== undefined) throw new CommandFailed(`${path} cannot be read: ${code}`)
  const reason = error instanceof Error ? error.message : String(error)
  const [, codec] = /unsupported compression codec: (\w+)/.exec(reason) ?? []
  if (codec !== undefined) throw new CommandFailed(`${path} is compressed with ${codec}, and results with SNAPPY`)
  throw new CommandFailed(`${path} is damaged, or no Parquet file: ${reason}`)
}
