import { existsSync, linkSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bucketColumn } from '../../schema/columns/warehouse-tables.ts'
import { PrintableError } from '../../schema/printable-error.ts'
import { makeFolder, requireStorage } from '../dynamodb/storage-fault.ts'
import { readProcessLife } from './process-life.ts'

/**
 * Claims a data folder for this process, because two services on the same tables would corrupt them. A claim left by a
 * killed process is ignored, even if another process now has its number.
 *
 * Claims are files numbered in sequence, and a stale claim is removed only after a new one is made. Of two processes
 * that find the same stale claim, only one gets the next number.
 *
 * @returns a function that releases the folder
 * @throws FolderInUse; StorageUnusable if there is not enough room to start
 */
export function claimDataFolder(folder: string): () => void {
  makeFolder(folder)
  const found = readClaims(folder)
  refuseLiving(folder, found)
  requireStorage(folder, bytesToStart)
  const number = 1 + Math.max(0, ...found.map((claim) => claim.number))
  const file = join(folder, `owner-${number}.pid`)
  // Linked into place, so a claim always names its owner, and of two simultaneous claims only one succeeds.
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
  // Another process may have claimed the folder and cleaned up between our first look and our claim, which is then
  // invalid.
  try {
    refuseLiving(folder, others)
  } catch (error) {
    giveUp()
    throw error
  }
  for (const { name } of others) rmSync(join(folder, name), { force: true })
  return giveUp
}

/** Whether a running process has claimed the folder. */
export const isInUse = (folder: string): boolean => readClaims(folder).some(({ owner }) => isAlive(owner))

/**
 * Refuses a data folder whose rates an earlier version stored: searches would find none of them.
 *
 * @throws FolderOutdated
 */
export function refuseOutdated(folder: string): void {
  const ofFiles = join(folder, 'warehouse', 'negotiated_rates')
  const names = existsSync(ofFiles) ? readdirSync(ofFiles) : []
  if (names.some((name) => !name.startsWith(`${bucketColumn.name}=`))) throw new FolderOutdated(folder)
}

/** The data folder's rates must be loaded again. */
export class FolderOutdated extends PrintableError {
  override readonly name = 'FolderOutdated'
  constructor(folder: string) {
    const warehouse = join(folder, 'warehouse')
    super(`an earlier version stored the rates in ${warehouse}: remove that folder and load them again, or use --data`)
  }
}

/** Room for the stack's templates and bundles, beside those from the previous start. */
const bytesToStart = 8_000_000

interface Claim {
  readonly name: string
  readonly number: number
  readonly owner: Owner
}

interface Owner {
  readonly pid: number
  /** Tells processes with the same number apart; undefined if the system does not say. */
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

/** Another process on this machine uses the same data folder. */
export class FolderInUse extends PrintableError {
  override readonly name = 'FolderInUse'
  constructor(folder: string, pid: number) {
    super(`the data folder ${folder} is in use by process ${pid}; stop it, or choose another folder with --data`)
  }
}

/** Reads who made a claim. If the claim is gone or names nobody, returns a number that no process has. */
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
  // A restarted container reuses process numbers, so a claim under our own number is from an earlier run.
  if (pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
