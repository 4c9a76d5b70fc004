import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Claims a data folder for this process: two services over the same tables would destroy them. A claim that a killed
 * process left behind does not count.
 *
 * @returns what gives the folder up
 * @throws FolderInUse
 */
export function claimDataFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'owner.pid')
  const owner = readOwner(file)
  if (owner !== undefined && isAlive(owner)) throw new FolderInUse(folder, owner)
  if (owner !== undefined) rmSync(file, { force: true })
  // Linked into place: whoever finds the claim finds its owner's number in it, and of two at once one is refused.
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, String(process.pid))
  try {
    linkSync(draft, file)
  } catch (error) {
    throw isTaken(error) ? new FolderInUse(folder, readOwner(file) ?? 0) : error
  } finally {
    rmSync(draft, { force: true })
  }
  return () => rmSync(file, { force: true })
}

const isTaken = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EEXIST'

/** Another process of this machine runs on the same data folder. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse'
  constructor(folder: string, pid: number) {
    super(`the data folder ${folder} is in use by process ${pid}; stop it, or choose another folder with --data`)
  }
}

function readOwner(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

/** A restarted container gives its processes the same numbers: a claim under our own is a former life's. */
function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
