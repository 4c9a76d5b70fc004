import { mkdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The folder's disk takes no files: it is full, or read-only, or belongs to somebody else. */
export class StorageUnusable extends Error {
  override readonly name = 'StorageUnusable'
  constructor(folder: string, fault: string, options?: ErrorOptions) {
    super(`nothing can be stored in ${folder}: ${fault}`, options)
  }
}

/**
 * Makes a folder and its parents unless they exist.
 *
 * @throws StorageUnusable
 */
export function makeFolder(folder: string): void {
  storing(folder, () => makeParentsFirst(folder))
}

/** Node's own `recursive` never returns in file systems such as /proc, which answer ENOENT for a new folder. */
function makeParentsFirst(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  const parent = dirname(folder)
  if (parent !== folder) makeParentsFirst(parent)
  try {
    mkdirSync(folder)
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}

/**
 * Looks whether files can be written to a folder: there is room, and one can be made.
 *
 * @param bytes that must be free
 * @throws StorageUnusable
 */
export function requireStorage(folder: string, bytes: number): void {
  storing(folder, () => {
    const { bavail, bsize } = statfsSync(folder)
    if (bavail * bsize < bytes)
      throw new StorageUnusable(folder, `${showMegabytes(bavail * bsize)} are free, ${showMegabytes(bytes)} are needed`)
    const probe = join(folder, 'storage.probe')
    writeFileSync(probe, 'x')
    rmSync(probe, { force: true })
  })
}

function storing(folder: string, write: () => void): void {
  try {
    write()
  } catch (error) {
    if (error instanceof StorageUnusable) throw error
    throw new StorageUnusable(folder, error instanceof Error ? error.message : String(error), { cause: error })
  }
}

const showMegabytes = (bytes: number) => `${Math.floor(bytes / 1_000_000)} MB`
