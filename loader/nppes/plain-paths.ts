import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve, sep } from 'node:path'
import { PrintableError } from '../../schema/printable-error.ts'

/** Paths for DuckDB, until they are disposed of. */
export interface PlainPaths extends AsyncDisposable {
  /** Returns a path of an existing file or folder that DuckDB takes as it is written. */
  readonly of: (path: string) => Promise<string>
}

/**
 * Finds paths that mean the same to DuckDB as to the file system. DuckDB reads patterns, partitions and parameters into
 * paths: `?`, `[`, `\`, `=` and others in the name of any folder above a file change which file is read, or what is in
 * its columns. Files and folders with other names are reached through links in a temporary folder.
 */
export function openPlainPaths(): PlainPaths {
  let links: Promise<string> | undefined
  let count = 0
  return {
    of: async (path) => {
      const target = resolve(path)
      if (isPlain(target)) return target
      links ??= makeFolder()
      const link = join(await links, String(count++))
      // On Windows a junction is a link that needs no right. Elsewhere the type is ignored.
      await symlink(target, link, 'junction')
      return link
    },
    [Symbol.asyncDispose]: async () => {
      if (links !== undefined) await rm(await links, { recursive: true, force: true })
    },
  }
}

const isPlain = (path: string) => path.split(sep).every((name) => /^[\p{L}\p{M}\p{N} ._-]*$/u.test(name))

async function makeFolder(): Promise<string> {
  const folders = [tmpdir(), '/tmp'].filter(isPlain)
  for (const folder of folders) {
    const links = await mkdtemp(join(folder, 'rate-search-')).catch(() => undefined)
    if (links !== undefined) return links
  }
  throw new PrintableError(
    `no temporary folder is usable: set TMPDIR to one that can be written to, with letters and digits in its path, not "${tmpdir()}"`,
  )
}
