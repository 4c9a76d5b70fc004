import { linkSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readProcessLife } from './process-life.ts'
import { makeFolder, requireStorage } from './storage-fault.ts'

/**
 * Claims a data folder for this process: two services over the same tables would destroy them. A claim that a killed
 * process left behind does not count, also where its number is another process's by now.
 *
 * Claims are numbered files, and each is made under a number above all that there were. So nobody removes the claim of a
 * dead process before having one, and of two that find the same dead one only one gets the next number.
 *
 * @returns what gives the folder up
 * @throws FolderInUse; StorageUnusable where there is no room for what a start writes
 */
export function claimDataFolder(folder: string): () => void {
  makeFolder(folder)
  const found = readClaims(folder)
  refuseLiving(folder, found)
  requireStorage(folder, bytesToStart)
  const number = 1 + Math.max(0, ...found.map((claim) => claim.number))
  const file = join(folder, `owner-${number}.pid`)
  // Linked into place: whoever finds the claim finds its owner's number in it, and of two at once one is refused.
  const draft = `${file}.${process.pid}`
  try {
    writeFileSync(draft, [process.pid, readProcessLife(process.pid)].join(' '))
    linkSync(draft, file)
  } catch (error) {
    throw isTaken(error) ? new FolderInUse(folder, readOwner(file).pid) : error
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

/** The templates and bundles of the stack, beside those of the start before. */
const bytesToStart = 8_000_000

interface Claim {
  readonly name: string
  readonly number: number
  readonly owner: Owner
}

interface Owner {
  readonly pid: number
  /** Which process of that number; undefined where the system did not say. */
  readonly life?: string
}

function readClaims(folder: string): readonly Claim[] {
  return readdirSync(folder).flatMap((name) => {
    const [, number] = /^owner-(\d{1,15})\.pid$/.exec(name) ?? []
    return number === undefined ? [] : { name, number: Number(number), owner: readOwner(join(folder, name)) }
  })
}

function refuseLiving(folder: string, claims: readonly Claim[]): void {
  const living = claims.find(({ owner }) => isAlive(owner))
  if (living !== undefined) throw new FolderInUse(folder, living.owner.pid)
}

const isTaken = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EEXIST'

/** Another process of this machine runs on the same data folder. */
export class FolderInUse extends Error {
  override readonly name = 'FolderInUse'
  constructor(folder: string, pid: number) {
    super(`the data folder ${folder} is in use by process ${pid}; stop it, or choose another folder with --data`)
  }
}

/** Who made a claim; of one that is gone, or names nobody, a number that no process has. */
function readOwner(file: string): Owner {
  try {
    const [pid, life] = readFileSync(file, 'utf8').split(' ')
    return { pid: Number(pid), ...(life !== undefined && life !== '' && { life }) }
  } catch {
    return { pid: 0 }
  }
}

function isAlive({ pid, life }: Owner): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  const found = readProcessLife(pid)
  if (found === '') return false
  if (found !== undefined && life !== undefined) return found === life
  // A restarted container gives its processes the same numbers: a claim under our own is a former life's.
  if (pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
