import { randomUUID } from 'node:crypto'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The folder's disk takes no files: it is full, or read-only, or belongs to somebody else. */
export class StorageUnusable extends Error {
  override readonly name = 'StorageUnusable'
  constructor(folder: string, fault: string, options?: ErrorOptions) {
    super(`nothing can be stored in ${folder}: ${fault}`, options)
  }
}

/**
 * Looks whether files can be written to a folder: there is room, and one can be made.
 *
 * @param bytes that must be free
 * @throws StorageUnusable
 */
export function requireStorage(folder: string, bytes: number): void {
  const probe = join(folder, `probe.${randomUUID()}`)
  try {
    const { bavail, bsize } = statfsSync(folder)
    if (bavail * bsize < bytes)
      throw new StorageUnusable(folder, `${showMegabytes(bavail * bsize)} are free, ${showMegabytes(bytes)} are needed`)
    writeFileSync(probe, 'x')
    rmSync(probe)
  } catch (error) {
    if (error instanceof StorageUnusable) throw error
    // A full disk may take the file's name and not its content.
    dropProbe(probe)
    throw new StorageUnusable(folder, error instanceof Error ? error.message : String(error), { cause: error })
  }
}

function dropProbe(probe: string): void {
  try {
    rmSync(probe, { force: true })
  } catch {
    // Nothing was made on a disk that is read-only.
  }
}

const showMegabytes = (bytes: number) => `${Math.floor(bytes / 1_000_000)} MB`
