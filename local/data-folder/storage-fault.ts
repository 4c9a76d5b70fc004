import { mkdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PrintableError } from '../../schema/printable-error.ts'

/** The folder's disk accepts no files: it is full, read-only, or owned by another user. */
export class StorageUnusable extends PrintableError {
  constructor(folder: string, fault: string, options?: ErrorOptions) {
    super(`nothing can be stored in ${folder}: ${fault}`, options)
  }
}

/**
 * Creates a folder and its parents if they do not exist.
 *
 * @throws StorageUnusable
 */
export function makeFolder(folder: string): void {
  reportFaults(folder, () => makeParentsFirst(folder))
}

/**
 * Makes folders for the owner only: results and keys are in them. Node's `recursive` option never returns on file
 * systems such as /proc, which answer ENOENT for a new folder.
 */
function makeParentsFirst(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  const parent = dirname(folder)
  if (parent !== folder) makeParentsFirst(parent)
  try {
    mkdirSync(folder, 0o700)
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}

/**
 * Checks that a folder accepts files and has enough room.
 *
 * @param bytes required free space
 * @throws StorageUnusable
 */
export function requireStorage(folder: string, bytes: number): void {
  reportFaults(folder, () => {
    const { bavail, bsize } = statfsSync(folder)
    if (bavail * bsize < bytes)
      throw new StorageUnusable(folder, `${showMegabytes(bavail * bsize)} are free, ${showMegabytes(bytes)} are needed`)
    const probe = join(folder, 'storage.probe')
    writeFileSync(probe, 'x')
    rmSync(probe, { force: true })
  })
}

function reportFaults(folder: string, write: () => void): void {
  try {
    write()
  } catch (error) {
    if (error instanceof StorageUnusable) throw error
    throw new StorageUnusable(folder, error instanceof Error ? error.message : String(error), { cause: error })
  }
}

const showMegabytes = (bytes: number) => `${Math.floor(bytes / 1_000_000)} MB`
