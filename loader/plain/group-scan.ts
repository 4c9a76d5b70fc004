import { byte, isAt, odd, passSpace, short } from '../json/byte-scan.ts'
import { tinTypes } from '../published/values/known-values.ts'
import type { PlainTins } from './plain-tins.ts'

const names = {
  npi: Buffer.from('"npi"'),
  tin: Buffer.from('"tin"'),
  type: Buffer.from('"type"'),
  value: Buffer.from('"value"'),
  businessName: Buffer.from('"business_name"'),
}

const types = tinTypes.map((type) => ({ type, text: Buffer.from(`"${type}"`) }))

/**
 * Reads provider groups that have NPIs of ten digits or 0 and a TIN of printable ASCII characters, each of another TIN.
 * Anything else is odd.
 */
export class GroupScan {
  readonly #tins: PlainTins
  // Of the group that is being read.
  #type: string | undefined
  #name: string | undefined

  /** @param tins to which the groups are added, also some of an array that is odd or short */
  constructor(tins: PlainTins) {
    this.#tins = tins
  }

  /** Reads an array of at least one group. @returns the position after it, `odd` or `short` */
  read(bytes: Buffer, start: number, end: number): number {
    const firstTin = this.#tins.count
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
