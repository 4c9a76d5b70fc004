import type { InlineGroup, InlineTaker } from '../provider-groups.ts'
import { GroupReader } from './group-reader.ts'

/** The inline groups of a rate, whose reading counts no finding. */
export interface ScannedGroups {
  readonly group: InlineGroup
  /** How many groups and NPIs there are, as published. */
  readonly groupCount: number
  readonly npiCount: number
}

interface KnownGroups {
  readonly bytes: Buffer
  groups: ScannedGroups
  /** In which generation of numbers. */
  generation: number
}

/** Bytes that tell arrays of groups apart: enough for the first NPIs. */
const keyLength = 64

/** Bytes of arrays that are kept, and of the objects for each; when there are more, all are forgotten. */
const maxKeptBytes = 1 << 25
const objectBytes = 512

/** Arrays of the same first bytes that are kept. */
const maxAlike = 8

/** Keys that were met, by their last bits. */
const metKeys = 1 << 18

/**
 * Reads arrays of inline groups. Many files repeat the same array for each code, so one whose first bytes were met before
 * is kept, and known when it recurs.
 */
export class InlineReader {
  /** Of the array that was read last. */
  groups: ScannedGroups | undefined
  readonly #taker: InlineTaker
  readonly #reader: GroupReader
  readonly #known = new Map<number, KnownGroups[]>()
  readonly #met = new Int32Array(metKeys)
  #keptBytes = 0

  constructor(taker: InlineTaker) {
    this.#taker = taker
    this.#reader = new GroupReader(taker.store)
  }

  /** Reads an array of at least one group. @returns the position after it, `odd` or `short` */
  read(bytes: Buffer, start: number, end: number): number {
    if (start + keyLength > end) return this.#readAll(bytes, start, end)
    const key = hashOf(bytes, start)
    const isMet = this.#met[key & (metKeys - 1)] === key
    const alike = isMet ? this.#known.get(key) : undefined
    for (const known of alike ?? []) {
      const stop = start + known.bytes.length
      if (stop > end || bytes.compare(known.bytes, 0, known.bytes.length, start, stop) !== 0) continue
      if (known.generation !== this.#taker.generation) {
        this.#readAll(bytes, start, end)
        known.groups = this.groups ?? known.groups
        known.generation = this.#taker.generation
      }
      this.groups = known.groups
      return stop
    }
    const stop = this.#readAll(bytes, start, end)
    if (stop < 0 || this.groups === undefined) return stop
    if (isMet)
      this.#keep(key, { bytes: bytes.subarray(start, stop), groups: this.groups, generation: this.#taker.generation })
    this.#met[key & (metKeys - 1)] = key
    return stop
  }

  #keep(key: number, known: KnownGroups): void {
    const size = known.bytes.length + objectBytes
    if (this.#keptBytes + size > maxKeptBytes) {
      this.#known.clear()
      this.#keptBytes = 0
    }
    const alike = this.#known.get(key) ?? []
    if (alike.length >= maxAlike) return
    alike.push({ ...known, bytes: Buffer.from(known.bytes) })
    this.#known.set(key, alike)
    this.#keptBytes += size
  }

  #readAll(bytes: Buffer, start: number, end: number): number {
    const stop = this.#reader.read(bytes, start, end)
    const { groupCount, npiCount } = this.#reader
    if (stop < 0) this.#taker.store.dropOpen()
    else this.groups = { group: this.#taker.end(), groupCount, npiCount }
    return stop
  }
}

/** FNV-1a over the first bytes. */
function hashOf(bytes: Buffer, start: number): number {
  let hash = 0x811c9dc5
  for (let at = start; at < start + keyLength; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 16_777_619)
  return hash
}
