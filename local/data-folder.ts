import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Claims a data folder for this process: two services over the same tables would destroy them. A claim that a killed
 * process left behind does not count.
 *
 * Claims are numbered files, and each is made under a number above all that there were. So nobody removes the claim of a
 * dead process before having one, and of two that find the same dead one only one gets the next number.
 *
 * @returns what gives the folder up
 * @throws FolderInUse
 */
export function claimDataFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true })
  const found = readClaims(folder)
  refuseLiving(folder, found)
  const number = 1 + Math.max(0, ...found.map((claim) => claim.number))
  const file = join(folder, `owner-${number}.pid`)
  // Linked into place: whoever finds the claim finds its owner's number in it, and of two at once one is refused.
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, String(process.pid))
  try {
    linkSync(draft, file)
  } catch (error) {
    throw isTaken(error) ? new FolderInUse(folder, readOwner(file)) : error
  } finally {
    rmSync(draft, { force: true })
  }
  const giveUp = () => rmSync(file, { force: true })
  const others = readClaims(folder).filter((claim) => claim.number !== number)
  // Somebody may have claimed it and cleared up between our first look and our claim; then ours has no standing.
  try {
    refuseLiving(folder, others)
  } catch (error) {
    giveUp()
    throw error
  }
  for (const { name } of others) rmSync(join(folder, name), { force: true })
  return giveUp
}

interface Claim {
  readonly name: string
  readonly number: number
  readonly owner: number
}

function readClaims(folder: string): readonly Claim[] {
  return readdirSync(folder).flatMap((name) => {
    const [, number] = /^owner-(\d{1,15})\.pid$/.exec(name) ?? []
    return number === undefined ? [] : { name, number: Number(number), owner: readOwner(join(folder, name)) }
  })
}

function refuseLiving(folder: string, claims: readonly Claim[]): void {
  const living = claims.find(({ owner }) => isAlive(owner))
  if (living !== undefined) throw new FolderInUse(folder, living.owner)
}

const isTaken = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EEXIST'

/** Another process of this machine runs on the same data folder. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse'
  constructor(folder: string, pid: number) {
    super(`the data folder ${folder} is in use by process ${pid}; stop it, or choose another folder with --data`)
  }
}

/** The number in a claim; of one that is gone, or holds none, a number that no process has. */
function readOwner(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch {
    return 0
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
