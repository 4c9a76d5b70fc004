import { GroupScan } from './group-scan.ts'
import { PlainTins } from './plain-tins.ts'

/** Provider groups whose reading counts no finding, each of another TIN: a range of `tins`, until these are cleared. */
export class PlainGroups {
  readonly tins: PlainTins
  readonly firstTin: number
  readonly endOfTins: number
  /** The generation of `tins` that has them. */
  readonly readIn: number
  /** What they were numbered as, and in which generation of numbers. */
  number: number | 'left out' = 0
  numberedIn = -1

  constructor(tins: PlainTins, firstTin: number) {
    this.tins = tins
    this.firstTin = firstTin
    this.endOfTins = tins.count
    this.readIn = tins.generation
  }

  get tinCount(): number {
    return this.endOfTins - this.firstTin
  }
}

/** Where groups are numbered. When their numbers lose their meaning, the generation changes. */
export interface Numbering {
  readonly generation: number
}

/** Bytes that tell arrays of groups apart: enough for the first NPIs. */
const keyLength = 64

/** Bytes of arrays that are kept, and of the objects for each; when there are more, all are forgotten. */
const maxKeptBytes = 1 << 25
const objectBytes = 512

/** Arrays of the same first bytes that are kept. */
const maxAlike = 8

/** Bits that note which keys were met. */
const metBits = 1 << 24

/** When so many keys were met, all are forgotten: else most new keys would share a bit with another. */
const maxMet = metBits / 16

interface KnownGroups {
  readonly bytes: Buffer
  groups: PlainGroups
  readonly npiCount: number
}

/**
 * Reads arrays of provider groups as `GroupScan` does. Many files repeat the same array for each code, so one whose first
 * bytes were met before is kept, and known when it recurs.
 */
export class GroupReader {
  /** Of the array that was read last. */
  groups: PlainGroups | undefined
  /** Number of NPIs of the array that was read last, as they are published: one may be there twice. */
  npiCount = 0
  readonly #tins = new PlainTins()
  readonly #scan = new GroupScan(this.#tins)
  readonly #numbering: Numbering
  readonly #known = new Map<number, KnownGroups[]>()
  #keptBytes = 0
  readonly #met = new Int32Array(metBits / 32)
  #metCount = 0

  constructor(numbering: Numbering) {
    this.#numbering = numbering
  }

  /** Forgets the TINs of groups that were read. */
  clear(): void {
    this.#tins.clear()
  }

  /** Reads an array of at least one group. @returns the position after it, `odd` or `short` */
  read(bytes: Buffer, start: number, end: number): number {
    if (start + keyLength > end) return this.#readAll(bytes, start, end)
    const key = hashOf(bytes, start)
    const alike = this.#known.get(key)
    for (const known of alike ?? []) {
      const stop = start + known.bytes.length
      if (stop > end || bytes.compare(known.bytes, 0, known.bytes.length, start, stop) !== 0) continue
      const { readIn, numberedIn } = known.groups
      if (readIn !== this.#tins.generation && numberedIn !== this.#numbering.generation) {
        this.#readAll(bytes, start, end)
        known.groups = this.groups ?? known.groups
      }
      this.groups = known.groups
      this.npiCount = known.npiCount
      return stop
    }
    const stop = this.#readAll(bytes, start, end)
    if (stop < 0 || this.groups === undefined) return stop
    if (alike !== undefined || this.#wasMet(key)) this.#keep(key, bytes.subarray(start, stop), this.groups)
    return stop
  }

  #keep(key: number, bytes: Buffer, groups: PlainGroups): void {
    const size = bytes.length + objectBytes
    if (this.#keptBytes + size > maxKeptBytes) {
      this.#known.clear()
      this.#keptBytes = 0
    }
    const alike = this.#known.get(key) ?? []
    if (alike.length >= maxAlike) return
    alike.push({ bytes: Buffer.from(bytes), groups, npiCount: this.npiCount })
    this.#known.set(key, alike)
    this.#keptBytes += size
  }

  /** Whether a key was met before; notes it. */
  #wasMet(key: number): boolean {
    const word = (key >>> 5) & (metBits / 32 - 1)
    const bit = 1 << (key & 31)
    const met = this.#met[word] ?? 0
    if ((met & bit) !== 0) return true
    if (++this.#metCount > maxMet) {
      this.#met.fill(0)
      this.#metCount = 0
    }
    this.#met[word] = met | bit
    return false
  }

  #readAll(bytes: Buffer, start: number, end: number): number {
    const firstTin = this.#tins.count
    const stop = this.#scan.read(bytes, start, end)
    if (stop < 0) this.#tins.truncate(firstTin)
    else {
      this.groups = new PlainGroups(this.#tins, firstTin)
      this.npiCount = this.#tins.npis.length - this.#tins.firstNpi(firstTin)
    }
    return stop
  }
}

/** FNV-1a over the first bytes. */
function hashOf(bytes: Buffer, start: number): number {
  let hash = 0x811c9dc5
  for (let at = start; at < start + keyLength; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 16_777_619)
  return hash
}
