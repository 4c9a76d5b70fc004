import { byte, isAt, odd, passSpace, short } from '../json/byte-scan.ts'
import { tinTypes } from '../published/values/known-values.ts'
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

const names = {
  npi: Buffer.from('"npi"'),
  tin: Buffer.from('"tin"'),
  type: Buffer.from('"type"'),
  value: Buffer.from('"value"'),
  businessName: Buffer.from('"business_name"'),
}

const types = tinTypes.map((type) => ({ type, text: Buffer.from(`"${type}"`) }))

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
 * Reads arrays of provider groups that have NPIs of ten digits and a TIN of digits and hyphens. Anything else is odd. Many
 * files repeat the same array for each code, so one whose first bytes were met before is kept, and known when it recurs.
 */
export class GroupReader {
  /** Of the array that was read last. */
  groups: PlainGroups | undefined
  /** Number of NPIs of the array that was read last, as they are published: one may be there twice. */
  npiCount = 0
  readonly #tins = new PlainTins()
  readonly #numbering: Numbering
  readonly #known = new Map<number, KnownGroups[]>()
  #keptBytes = 0
  readonly #met = new Int32Array(metBits / 32)
  #metCount = 0
  // Of the group that is being read.
  #type: string | undefined
  #name: string | undefined

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
    const stop = this.#readGroups(bytes, start, end, firstTin)
    if (stop < 0) this.#tins.truncate(firstTin)
    else {
      this.groups = new PlainGroups(this.#tins, firstTin)
      this.npiCount = this.#tins.npis.length - this.#tins.firstNpi(firstTin)
    }
    return stop
  }

  #readGroups(bytes: Buffer, start: number, end: number, firstTin: number): number {
    if (start >= end) return short
    if (bytes[start] !== byte.bracketOpen) return odd
    let at = passSpace(bytes, start + 1, end)
    for (;;) {
      at = this.#readGroup(bytes, at, end)
      if (at < 0) return at
      at = passSpace(bytes, at, end)
      if (at >= end) return short
      if (bytes[at] === byte.bracketClose) break
      if (bytes[at] !== byte.comma) return odd
      at = passSpace(bytes, at + 1, end)
    }
    return this.#areDistinct(firstTin) ? at + 1 : odd
  }

  /** Whether all TINs from this one on differ. The NPIs of a TIN that is listed twice may have to be merged. */
  #areDistinct(firstTin: number): boolean {
    const { count, types: typesOf } = this.#tins
    if (count - firstTin <= 2) return count - firstTin === 1 || !this.#tins.isSame(firstTin, firstTin + 1)
    const seen = new Set<string>()
    for (let tin = firstTin; tin < count; tin++) seen.add(`${typesOf[tin]} ${this.#tins.valueOf(tin)}`)
    return seen.size === count - firstTin
  }

  /** Reads an object of `npi` and `tin`, in any order. */
  #readGroup(bytes: Buffer, start: number, end: number): number {
    if (start >= end) return short
    if (bytes[start] !== byte.braceOpen) return odd
    this.#type = undefined
    this.#name = undefined
    let at = passSpace(bytes, start + 1, end)
    for (;;) {
      const npis = this.#tins.newNpis > 0 ? odd : passName(bytes, at, end, names.npi)
      const tin = npis !== odd || this.#type !== undefined ? odd : passName(bytes, at, end, names.tin)
      at = npis !== odd ? this.#readNpis(bytes, npis, end) : this.#readTin(bytes, tin, end)
      if (at < 0) return at
      at = passSpace(bytes, at, end)
      if (at >= end) return short
      if (bytes[at] === byte.braceClose) break
      if (bytes[at] !== byte.comma) return odd
      at = passSpace(bytes, at + 1, end)
    }
    if (this.#tins.newNpis === 0 || this.#type === undefined) return odd
    this.#tins.add(this.#type, this.#name)
    return at + 1
  }

  /** Reads numbers, or texts, of ten digits or 0. */
  #readNpis(bytes: Buffer, start: number, end: number): number {
    if (start < 0) return start
    if (bytes[start] !== byte.bracketOpen) return odd
    const { npis } = this.#tins
    let at = passSpace(bytes, start + 1, end)
    for (;;) {
      const isText = bytes[at] === byte.quote
      if (isText) at++
      const first = at
      let npi = 0
      for (; at < end; at++) {
        const digit = (bytes[at] ?? 0) - byte.zero
        if (digit < 0 || digit > 9) break
        npi = npi * 10 + digit
      }
      if (at >= end) return short
      const isZero = at === first + 1 && npi === 0
      if (!isZero && (at !== first + npiLength || bytes[first] === byte.zero)) return odd
      if (isText && bytes[at++] !== byte.quote) return odd
      npis.push(npi)
      at = passSpace(bytes, at, end)
      if (at >= end) return short
      if (bytes[at] === byte.bracketClose) return at + 1
      if (bytes[at] !== byte.comma) return odd
      at = passSpace(bytes, at + 1, end)
    }
  }

  /** Reads an object of `type`, `value` and `business_name`, each once at most, in any order. */
  #readTin(bytes: Buffer, start: number, end: number): number {
    if (start < 0) return start
    if (bytes[start] !== byte.braceOpen) return odd
    let at = passSpace(bytes, start + 1, end)
    for (;;) {
      const type = this.#type !== undefined ? odd : passName(bytes, at, end, names.type)
      const value = type !== odd || this.#tins.newDigits > 0 ? odd : passName(bytes, at, end, names.value)
      const name =
        type !== odd || value !== odd || this.#name !== undefined ? odd : passName(bytes, at, end, names.businessName)
      at =
        type !== odd
          ? this.#readType(bytes, type, end)
          : value !== odd
            ? this.#readValue(bytes, value, end)
            : this.#readName(bytes, name, end)
      if (at < 0) return at
      at = passSpace(bytes, at, end)
      if (at >= end) return short
      if (bytes[at] === byte.braceClose) return this.#type !== undefined && this.#tins.newDigits > 0 ? at + 1 : odd
      if (bytes[at] !== byte.comma) return odd
      at = passSpace(bytes, at + 1, end)
    }
  }

  #readType(bytes: Buffer, start: number, end: number): number {
    if (start < 0) return start
    for (const { type, text } of types) {
      if (!isAt(bytes, start, text)) continue
      this.#type = type
      return start + text.length <= end ? start + text.length : short
    }
    const after = passWord(bytes, start, end)
    return after === short ? short : odd
  }

  /** Reads a text of which only the digits matter. */
  #readValue(bytes: Buffer, start: number, end: number): number {
    const after = start < 0 ? start : passWord(bytes, start, end)
    if (after < 0) return after
    for (let at = start + 1; at < after - 1; at++) {
      const digit = (bytes[at] ?? 0) - byte.zero
      if (digit >= 0 && digit <= 9) this.#tins.addDigit(bytes[at] ?? 0)
    }
    return this.#tins.newDigits > 0 ? after : odd
  }

  #readName(bytes: Buffer, start: number, end: number): number {
    const after = start < 0 ? start : passWord(bytes, start, end)
    if (after < 0) return after
    this.#name = bytes.toString('latin1', start + 1, after - 1)
    return this.#name === '' ? odd : after
  }
}

const npiLength = 10

/** Passes the name of a field and its colon. @returns the position of its value, `odd` if it has another name, or `short` */
function passName(bytes: Buffer, start: number, end: number, name: Buffer): number {
  // The byte after the name is that of its quote.
  if (start + name.length > end) return short
  if (!isAt(bytes, start, name)) return odd
  const colon = passSpace(bytes, start + name.length, end)
  if (colon >= end) return short
  if (bytes[colon] !== byte.colon) return odd
  const value = passSpace(bytes, colon + 1, end)
  return value < end ? value : short
}

/** Passes a text of printable ASCII characters without an escape. */
function passWord(bytes: Buffer, start: number, end: number): number {
  if (bytes[start] !== byte.quote) return odd
  for (let at = start + 1; at < end; at++) {
    const next = bytes[at] ?? 0
    if (next === byte.quote) return at + 1
    if (next < 0x20 || next > 0x7e || next === byte.backslash) return odd
  }
  return short
}

/** FNV-1a over the first bytes. */
function hashOf(bytes: Buffer, start: number): number {
  let hash = 0x811c9dc5
  for (let at = start; at < start + keyLength; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 16_777_619)
  return hash
}
