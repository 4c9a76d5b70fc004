import { byte, isAt, odd, passSpace, short } from '../json/byte-scan.ts'
import type { TinMembers } from '../staging/tin-members.ts'
import { canonicalTin, digestOf, toSortedSet } from '../staging/tin-members.ts'

/** Provider groups whose reading counts no finding, each of another TIN. Arrays of the same bytes are one object. */
export class PlainGroups {
  readonly tins: readonly TinMembers[]
  /** Number of NPIs as they are published: one may be there twice. */
  readonly npiCount: number
  #digest: string | undefined

  constructor(tins: readonly TinMembers[], npiCount: number) {
    this.tins = tins
    this.npiCount = npiCount
  }

  get digest(): string {
    this.#digest ??= digestOf(this.tins)
    return this.#digest
  }
}

const names = {
  npi: Buffer.from('"npi"'),
  tin: Buffer.from('"tin"'),
  type: Buffer.from('"type"'),
  value: Buffer.from('"value"'),
  businessName: Buffer.from('"business_name"'),
}

const tinFields = ['type', 'value', 'businessName'] as const
type TinField = (typeof tinFields)[number]

/** Bytes that tell arrays of groups apart: enough for the first NPIs. */
const keyLength = 64

/** Bytes of arrays that are kept; when there are more, all are forgotten. */
const maxKeptBytes = 1 << 25

/** Arrays of the same first bytes that are kept. */
const maxAlike = 8

/** Bits that note which keys were met. */
const metBits = 1 << 24

interface KnownGroups {
  readonly bytes: Buffer
  readonly groups: PlainGroups
}

/**
 * Reads arrays of provider groups that have NPIs of ten digits and a TIN of digits and hyphens. Anything else is odd. Many
 * files repeat the same array for each code, so an array whose first bytes were met before is kept.
 */
export class GroupReader {
  /** Of the array that was read last. */
  groups: PlainGroups | undefined
  readonly #known = new Map<number, KnownGroups[]>()
  #keptBytes = 0
  readonly #met = new Int32Array(metBits / 32)
  #metCount = 0
  // Of the group that is being read.
  #npis: number[] = []
  #tin: Record<TinField, string> = { type: '', value: '', businessName: '' }

  /** Reads an array of at least one group. @returns the position after it, `odd` or `short` */
  read(bytes: Buffer, start: number, end: number): number {
    if (start + keyLength > end) return this.#readAll(bytes, start, end)
    const key = hashOf(bytes, start)
    const alike = this.#known.get(key)
    for (const known of alike ?? []) {
      const stop = start + known.bytes.length
      if (stop <= end && bytes.compare(known.bytes, 0, known.bytes.length, start, stop) === 0) {
        this.groups = known.groups
        return stop
      }
    }
    const stop = this.#readAll(bytes, start, end)
    if (stop < 0 || this.groups === undefined) return stop
    if (alike !== undefined || this.#wasMet(key)) this.#keep(key, bytes.subarray(start, stop), this.groups)
    return stop
  }

  #keep(key: number, bytes: Buffer, groups: PlainGroups): void {
    if (this.#keptBytes + bytes.length > maxKeptBytes) {
      this.#known.clear()
      this.#keptBytes = 0
    }
    const alike = this.#known.get(key) ?? []
    if (alike.length >= maxAlike) return
    alike.push({ bytes: Buffer.from(bytes), groups })
    this.#known.set(key, alike)
    this.#keptBytes += bytes.length
  }

  /** Whether a key was met before; notes it. */
  #wasMet(key: number): boolean {
    const word = (key >>> 5) & (metBits / 32 - 1)
    const bit = 1 << (key & 31)
    const met = this.#met[word] ?? 0
    if ((met & bit) !== 0) return true
    if (++this.#metCount > metBits / 4) {
      this.#met.fill(0)
      this.#metCount = 0
    }
    this.#met[word] = met | bit
    return false
  }

  #readAll(bytes: Buffer, start: number, end: number): number {
    if (start >= end) return short
    if (bytes[start] !== byte.bracketOpen) return odd
    const tins: TinMembers[] = []
    let npiCount = 0
    let at = passSpace(bytes, start + 1, end)
    for (;;) {
      at = this.#readGroup(bytes, at, end)
      if (at < 0) return at
      const businessName = this.#tin.businessName || undefined
      const { type, value, finding } = canonicalTin({ ...this.#tin, businessName })
      if (finding !== undefined || value === '') return odd
      npiCount += this.#npis.length
      tins.push({ type, value, businessName, npis: toSortedSet(this.#npis) })
      at = passSpace(bytes, at, end)
      if (at >= end) return short
      if (bytes[at] === byte.bracketClose) break
      if (bytes[at] !== byte.comma) return odd
      at = passSpace(bytes, at + 1, end)
    }
    // The NPIs of a TIN that is listed twice may have to be merged.
    if (tins.length > 1 && new Set(tins.map(({ type, value }) => `${type} ${value}`)).size < tins.length) return odd
    this.groups = new PlainGroups(tins, npiCount)
    return at + 1
  }

  /** Reads an object of `npi` and `tin`, in any order. */
  #readGroup(bytes: Buffer, start: number, end: number): number {
    if (start >= end) return short
    if (bytes[start] !== byte.braceOpen) return odd
    this.#npis = []
    this.#tin = { type: '', value: '', businessName: '' }
    let at = passSpace(bytes, start + 1, end)
    for (;;) {
      const npis = this.#npis.length > 0 ? odd : passName(bytes, at, end, names.npi)
      const tin = npis !== odd || this.#tin.type !== '' ? odd : passName(bytes, at, end, names.tin)
      at = npis !== odd ? this.#readNpis(bytes, npis, end) : this.#readTin(bytes, tin, end)
      if (at < 0) return at
      at = passSpace(bytes, at, end)
      if (at >= end) return short
      if (bytes[at] === byte.braceClose) return this.#npis.length > 0 && this.#tin.type !== '' ? at + 1 : odd
      if (bytes[at] !== byte.comma) return odd
      at = passSpace(bytes, at + 1, end)
    }
  }

  /** Reads numbers, or texts, of ten digits or 0. */
  #readNpis(bytes: Buffer, start: number, end: number): number {
    if (start < 0) return start
    if (bytes[start] !== byte.bracketOpen) return odd
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
      this.#npis.push(npi)
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
      let field: TinField = 'type'
      let text: number = odd
      for (let index = 0; index < tinFields.length && text === odd; index++) {
        field = tinFields[index] ?? field
        text = passName(bytes, at, end, names[field])
      }
      if (text < 0) return text
      at = passWord(bytes, text, end)
      if (at < 0) return at
      if (at === text + 2 || this.#tin[field] !== '') return odd
      this.#tin[field] = bytes.toString('latin1', text + 1, at - 1)
      at = passSpace(bytes, at, end)
      if (at >= end) return short
      if (bytes[at] === byte.braceClose) return this.#tin.type !== '' && this.#tin.value !== '' ? at + 1 : odd
      if (bytes[at] !== byte.comma) return odd
      at = passSpace(bytes, at + 1, end)
    }
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
