import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { UnknownCodec } from '../../parquet/page.ts'
import { CommandFailed, UsageError } from '../command-line/command-errors.ts'
import { codeOf } from '../errors.ts'
import { listColumns, readResult } from '../results/read-result.ts'
import type { ResultRow } from '../results/result-row.ts'

/**
 * Lists the Parquet files that arguments name. Files of a folder are ordered by name.
 *
 * @throws UsageError
 */
export async function listResultFiles(paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0) throw new UsageError('give the files of a result, or their folder')
  const lists = await Promise.all(
    paths.map(async (path) => {
      const status = await stat(path).catch((error: unknown) => {
        const code = codeOf(error)
        throw new UsageError(code === 'ENOENT' ? `${path} does not exist` : `${path} cannot be read: ${code}`)
      })
      if (!status.isDirectory()) return [path]
      const files = (await readdir(path)).filter((name) => name.endsWith('.parquet')).sort()
      if (files.length === 0) throw new UsageError(`${path} has no Parquet file`)
      return files.map((name) => join(path, name))
    }),
  )
  return lists.flat()
}

/**
 * Returns the names of a file's columns, in order.
 *
 * @throws CommandFailed that names the file
 */
export const listColumnsOf = (path: string): Promise<readonly string[]> =>
  listColumns(path).catch((error: unknown) => blame(path, error))

/**
 * Reads the rows of a file in blocks.
 *
 * @param columns the columns to read; one that the file lacks is missing in each row
 * @throws CommandFailed that names the file
 */
export async function* readRowsOf(path: string, columns: readonly string[]): AsyncGenerator<readonly ResultRow[]> {
  try {
    yield* readResult(path, columns)
  } catch (error) {
    blame(path, error)
  }
}

function blame(path: string, error: unknown): never {
  const code = codeOf(error)
  if (code !== undefined) throw new CommandFailed(`${path} cannot be read: ${code}`)
  const reason = error instanceof Error ? error.message : String(error)
  if (error instanceof UnknownCodec)
    throw new CommandFailed(`${path} is compressed with ${error.codec}; files of a result are compressed with SNAPPY`)
  throw new CommandFailed(`${path} is damaged or not a Parquet file: ${reason}`)
}
