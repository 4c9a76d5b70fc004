import { uint8At } from '../../../schema/at.ts'
import { byte, passScalar } from './byte-scan.ts'

/**
 * The numbers that a scan examines: those of all fields (`values`), the same with trailing zeros significant because
 * fields hold ids (`ids`: 690.50 is not 690.5), or none.
 */
type ScannedNumbers = 'values' | 'ids' | 'none'

/**
 * Finds the end of a JSON value without parsing it: strings are skipped and brackets counted. `JSON.parse` checks the
 * text later. When more bytes arrive, a scan continues where it stopped, even within a string or a number, so that a
 * long value that arrives in many chunks is scanned once.
 */
export class ValueScan {
  /** Position at which the scan continues; after the scan, the end of the value. */
  position: number
  /** True if a number would lose significant characters as a float: see `losesCharacters`. */
  hasLongNumber = false
  /** Number of objects and arrays in the value, itself included. */
  containers = 0
  #kind: 'scalar' | 'string or container' | undefined
  #depth = 0
  #isInString = false
  /** True if the next byte of the string is escaped. */
  #isEscaped = false
  /** Number of bytes so far of a number that may continue in the next chunk. */
  #digits = 0
  readonly #numbers: ScannedNumbers

  /**
   * @param numbers numbers that may set `hasLongNumber`; unless `none`, the value's bytes must stay before `position`
   */
  constructor(start: number, numbers: ScannedNumbers = 'values') {
    this.position = start
    this.#numbers = numbers
  }

  /**
   * Continues to the end of the value.
   *
   * @param end number of valid bytes in the buffer
   * @returns true once the end of the value is found
   */
  advance(bytes: Buffer, end: number): boolean {
    if (this.position >= end) return false
    this.#kind ??= opensValue(uint8At(bytes, this.position)) ? 'string or container' : 'scalar'
    return this.#kind === 'scalar' ? this.#passScalar(bytes, end) : this.#pass(bytes, end)
  }

  #pass(bytes: Buffer, end: number): boolean {
    const looksAtNumbers = this.#numbers !== 'none'
    let position = this.position
    let depth = this.#depth
    let isAtEnd = false
    if (this.#isInString) {
      position = this.#passString(bytes, position, end)
      isAtEnd = depth === 0 && !this.#isInString
    } else if (this.#digits > 0) position = this.#passNumber(bytes, position, end)
    while (position < end && !isAtEnd) {
      const next = uint8At(bytes, position)
      if (next === quote) {
        position = this.#passString(bytes, position + 1, end)
        isAtEnd = depth === 0 && !this.#isInString
      } else if (looksAtNumbers && ((next >= zero && next <= nine) || next === minus))
        position = this.#passNumber(bytes, position, end)
      else {
        // Brackets and braces differ in one bit: [ { open and ] } close.
        const bracket = next & ~0x20
        if (bracket === bracketOpen) {
          depth++
          this.containers++
        } else if (bracket === bracketClose) isAtEnd = --depth <= 0
        position++
      }
    }
    this.position = position
    this.#depth = depth
    return isAtEnd
  }

  /**
   * Passes a string from after its quote.
   *
   * @returns the position after it, or `end` if it continues in the next chunk
   */
  #passString(bytes: Buffer, start: number, end: number): number {
    let at = this.#isEscaped ? start + 1 : start
    while (at < end) {
      const next = bytes[at]
      if (next === quote) {
        this.#isInString = false
        this.#isEscaped = false
        return at + 1
      }
      at += next === backslash ? 2 : 1
    }
    this.#isInString = true
    this.#isEscaped = at > end
    return end
  }

  /** Passes a number. @returns the position after it, or `end` if it may continue in the next chunk */
  #passNumber(bytes: Buffer, start: number, end: number): number {
    const first = start - this.#digits
    const after = endOfNumber(bytes, start, end)
    this.#digits = after === end ? end - first : 0
    if (after < end) this.hasLongNumber ||= losesCharacters(bytes, first, after, this.#numbers === 'ids')
    return after
  }

  #passScalar(bytes: Buffer, end: number): boolean {
    const after = passScalar(bytes, this.position, end)
    this.position = after < 0 ? end : after
    // The exact parser decides if it loses characters; its cost for one number is negligible.
    this.hasLongNumber = true
    return after >= 0
  }
}

const opensValue = (next: number) => next === quote || next === bracketOpen || next === byte.braceOpen

// Most bytes are in strings. Constants spare these loops the lookup of a property.
const { quote, backslash, minus, point, zero, nine, colon, bracketOpen, bracketClose } = byte
const capitalE = 0x45

function endOfNumber(bytes: Buffer, start: number, end: number): number {
  let position = start
  while (position < end && isOfNumber(uint8At(bytes, position))) position++
  return position
}

const isOfNumber = (byte: number) =>
  (byte >= zero && byte <= nine) || byte === point || (byte & ~0x20) === capitalE || byte === minus || byte === 0x2b

/** Maximum length of a number that survives conversion to a float and back, because it has at most 15 digits. */
const safeLength = 15

/**
 * True if a number changes when it is converted to a float and back. Trailing zeros after the point are ignored in a
 * field's value (a rate of 1.50 is 1.5) unless fields hold ids.
 */
function losesCharacters(bytes: Buffer, start: number, end: number, keepsFields: boolean): boolean {
  const first = bytes[start]
  if (end - start <= safeLength && first !== minus && first !== zero) {
    let hasPoint = false
    for (let position = start; position < end; position++) {
      const next = uint8At(bytes, position)
      if (next === point) hasPoint = true
      else if (next > nine) return true
    }
    if (!hasPoint || bytes[end - 1] !== zero) return false
    return keepsFields || !isFieldValue(bytes, start)
  }
  const characters = bytes.toString('latin1', start, end)
  const printed = String(Number(characters))
  if (printed === characters) return false
  const mayTrim = !keepsFields && isFieldValue(bytes, start) && /^-?\d+\.\d+$/.test(characters)
  return !mayTrim || !characters.startsWith(printed) || /[^.0]/.test(characters.slice(printed.length))
}

function isFieldValue(bytes: Buffer, start: number): boolean {
  let position = start - 1
  while (position >= 0 && uint8At(bytes, position) <= 0x20) position--
  return bytes[position] === colon
}
