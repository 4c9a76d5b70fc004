import { isRemote } from '../../../fetch/file-address.ts'
import type { FileToRead } from '../../../fetch/file-finder.ts'
import { sizeOfPacked } from '../../../fetch/published-bytes.ts'

/**
 * Finds out which local files of a load may be equal because they have the same size, so that hashing one of them may
 * save reading it.
 *
 * @returns a function from the path of a file, which is false for remote files
 */
export async function findLocalTwins(files: readonly FileToRead[]): Promise<(path: string) => boolean> {
  const sizes = new Map<string, number>()
  const counts = new Map<number, number>()
  for (const { path } of files.filter((file) => !isRemote(file.path))) {
    const size = await sizeOfPacked(path).catch(() => undefined)
    if (size === undefined) continue
    sizes.set(path, size)
    counts.set(size, (counts.get(size) ?? 0) + 1)
  }
  return (path) => {
    const size = sizes.get(path)
    return size !== undefined && (counts.get(size) ?? 0) > 1
  }
}
