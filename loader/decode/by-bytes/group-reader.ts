import { foldWhiteSpace } from '../../../contract/texts/compose-text.ts'
import { uint8At } from '../../../schema/at.ts'
import { byte, isAt, odd, passName, passPlainString, passSpace, readEach, short } from '../json/byte-scan.ts'
import type { OpenGroup } from '../provider-groups.ts'
import { tinTypes } from '../values/known-values.ts'
import { parseSlice } from './parse-slice.ts'

const names = {
  npi: Buffer.from('"npi"'),
  tin: Buffer.from('"tin"'),
  type: Buffer.from('"type"'),
  value: Buffer.from('"value"'),
  businessName: Buffer.from('"business_name"'),
}

const types = tinTypes.map((type) => Buffer.from(`"${type}"`))

const npiLength = 10

/** Maximum number of digits in a TIN; one with more is odd. */
const maxDigits = 64
/** Number of digits in an EIN. */
const einDigits = 9
const einType = Buffer.from('"ein"')

/** Stands for a text that the TIN has not had yet. */
const none = -1

/**
 * Reads arrays of provider groups from their bytes. A group is odd if it has anything besides NPIs of ten digits or 0
 * and a TIN whose type and value are printable ASCII. The business name of the TIN may have any characters.
 */
export class GroupReader {
  /** Numbers of groups and NPIs, as published, in the array that was read last. */
  groupCount = 0
  npiCount = 0
  /** Indexes of the groups in that array whose EIN has lost leading zeros. */
  readonly shortEins: number[] = []
  readonly #open: OpenGroup
  // The group that is being read: its NPIs so far, and the numbers of its texts.
  #npis = 0
  #type = none
  #isEin = false
  #digitCount = 0
  #name = none
  /** The digits of the TIN, after as many zeros as an EIN can lack. */
  readonly #digits = Buffer.alloc(einDigits + maxDigits, '0')

  /** @param open takes the groups; after an array that is odd or short, the caller drops those it had so far */
  constructor(open: OpenGroup) {
    this.#open = open
  }

  /** Reads an array of at least one group. @returns the position after it, `odd` or `short` */
  readonly read = (bytes: Buffer, start: number, end: number): number => {
    this.groupCount = 0
    this.npiCount = 0
    this.shortEins.length = 0
    const after = readEach(bytes, start, end, byte.bracketOpen, this.#readGroup)
    return this.groupCount > 0 ? after : Math.min(after, odd)
  }

  readonly #readGroup = (bytes: Buffer, start: number, end: number): number => {
    this.#npis = 0
    this.#type = none
    this.#digitCount = 0
    this.#name = none
    const after = readEach(bytes, start, end, byte.braceOpen, this.#readField)
    if (after < 0) return after
    if (this.#npis === 0 || this.#type === none || this.#digitCount === 0) return odd
    this.#open.addTin(this.#type, this.#addDigits(), this.#name === none ? undefined : this.#name)
    this.groupCount++
    this.npiCount += this.#npis
    return after
  }

  readonly #readField = (bytes: Buffer, start: number, end: number): number => {
    const value = passName(bytes, start, end)
    if (value < 0) return value
    if (isAt(bytes, start, names.npi) && this.#npis === 0) return this.#readNpis(bytes, value, end)
    if (isAt(bytes, start, names.tin) && this.#type === none)
      return readEach(bytes, value, end, byte.braceOpen, this.#readTinField)
    return odd
  }

  /**
   * Reads an array of NPIs: ten digits or 0, as numbers or texts. Most bytes of many files are NPIs, so this is
   * `readEach` written out.
   */
  #readNpis(bytes: Buffer, start: number, end: number): number {
    if (bytes[start] !== byte.bracketOpen) return odd
    let at = start
    for (;;) {
      at = passSpace(bytes, at + 1, end)
      const isText = bytes[at] === byte.quote
      const first = isText ? at + 1 : at
      let stop = first
      let npi = 0
      for (; stop < end; stop++) {
        const digit = uint8At(bytes, stop) - byte.zero
        if (digit < 0 || digit > 9) break
        npi = 10 * npi + digit
      }
      if (stop >= end) return short
      const isNpi = stop === first + npiLength ? bytes[first] !== byte.zero : npi === 0 && stop === first + 1
      if (!isNpi || (isText && bytes[stop] !== byte.quote)) return odd
      this.#open.npis.push(npi)
      this.#npis++
      at = passSpace(bytes, isText ? stop + 1 : stop, end)
      if (at >= end) return short
      if (bytes[at] === byte.bracketClose) return at + 1
      if (bytes[at] !== byte.comma) return odd
    }
  }

  /** Reads `type`, `value` or `business_name`, each once at most. */
  readonly #readTinField = (bytes: Buffer, start: number, end: number): number => {
    const value = passName(bytes, start, end)
    if (value < 0) return value
    if (isAt(bytes, start, names.businessName) && this.#name === none) return this.#readName(bytes, value, end)
    const after = passPlainString(bytes, value, end)
    if (after < 0) return after
    if (isAt(bytes, start, names.value) && this.#digitCount === 0) return this.#readValue(bytes, value, after)
    if (!isAt(bytes, start, names.type) || this.#type !== none || !types.some((type) => isAt(bytes, value, type)))
      return odd
    this.#type = this.#open.texts.addBytes(bytes, value + 1, after - 1)
    this.#isEin = isAt(bytes, value, einType)
    return after
  }

  /** Reads a business name. It is often parsed, because many programs escape typographic apostrophes and accents. */
  #readName(bytes: Buffer, start: number, end: number): number {
    const after = passPlainString(bytes, start, end)
    if (bytes[start] === byte.quote && (after === odd || (after > 0 && isSpaced(bytes, start + 1, after - 1)))) {
      const parsed = parseSlice(bytes, start, end)
      if (typeof parsed === 'number') return parsed
      const name = foldWhiteSpace(String(parsed.value))
      if (name === '') return odd
      this.#name = this.#open.texts.add(name)
      return parsed.end
    }
    if (after < 0 || after === start + 2) return Math.min(after, odd)
    this.#name = this.#open.texts.addBytes(bytes, start + 1, after - 1)
    return after
  }

  /** Adds the digits of the TIN, an EIN with its leading zeros. @returns the number of the text */
  #addDigits(): number {
    const end = einDigits + this.#digitCount
    const isShort = this.#isEin && this.#digitCount < einDigits
    if (isShort) this.shortEins.push(this.groupCount)
    return this.#open.texts.addBytes(this.#digits, isShort ? this.#digitCount : einDigits, end)
  }

  /** Reads the value of a TIN. Only its digits count. */
  #readValue(bytes: Buffer, start: number, after: number): number {
    let digits = 0
    for (let at = start; at < after; at++) {
      const next = uint8At(bytes, at)
      if (next < byte.zero || next > byte.nine) continue
      if (digits === maxDigits) return odd
      this.#digits[einDigits + digits++] = next
    }
    if (digits === 0) return odd
    this.#digitCount = digits
    return after
  }
}

const space = 0x20

/** True if a name has spaces at its ends, or several in a row. */
function isSpaced(bytes: Buffer, start: number, end: number): boolean {
  let before = space
  for (let at = start; at < end; at++) {
    const next = uint8At(bytes, at)
    if (next === space && before === space) return true
    before = next
  }
  return before === space && end > start
}
