import { byte, passScalar, passString } from './byte-scan.ts'

/**
 * Finds the end of a JSON value without parsing it: strings are skipped and brackets counted. `JSON.parse` checks the
 * text later. A scan continues where it stopped when more bytes arrive.
 */
export class ValueScan {
  /** Where to continue; the end of the value once it is found. */
  position: number
  /** Whether a number would lose significant characters as a float: see `losesCharacters`. */
  hasLongNumber = false
  /** How many objects and arrays the value has, itself included. */
  containers = 0
  #depth = 0
  readonly #keepsFields: boolean

  /** @param keepsFields whether numbers in fields are ids, whose trailing zeros matter: 690.50 is not 690.5 */
  constructor(start: number, keepsFields = false) {
    this.position = start
    this.#keepsFields = keepsFields
  }

  /**
   * Continues to the end of the value.
   *
   * @param end number of valid bytes in the buffer
   * @returns whether the end of the value was found
   */
  advance(bytes: Buffer, end: number): boolean {
    let position = this.position
    let depth = this.#depth
    if (depth === 0 && !opensValue(bytes[position] ?? 0)) return this.#passScalar(bytes, end)
    let found = false
    while (position < end && !found) {
      const next = bytes[position] ?? 0
      if (next === quote) {
        const close = passString(bytes, position, end)
        if (close < 0) break
        position = close
        found = depth === 0
      } else if ((next >= zero && next <= nine) || next === minus) {
        const after = endOfNumber(bytes, position, end)
        if (after === end) break
        this.hasLongNumber ||= losesCharacters(bytes, position, after, this.#keepsFields)
        position = after
      } else {
        // Brackets and braces differ in one bit: [ { open and ] } close.
        const bracket = next & ~0x20
        if (bracket === bracketOpen) {
          depth++
          this.containers++
        } else if (bracket === bracketClose) found = --depth <= 0
        position++
      }
    }
    this.position = position
    this.#depth = depth
    return found
  }

  #passScalar(bytes: Buffer, end: number): boolean {
    const after = passScalar(bytes, this.position, end)
    if (after < 0) return false
    this.position = after
    // The exact reader decides whether it loses characters; its cost for one number is negligible.
    this.hasLongNumber = true
    return true
  }
}

const opensValue = (next: number) => next === quote || next === bracketOpen || next === byte.braceOpen

const { quote, minus, point, zero, nine, colon, bracketOpen, bracketClose } = byte
const capitalE = 0x45

function endOfNumber(bytes: Buffer, start: number, end: number): number {
  let position = start + 1
  while (position < end && isOfNumber(bytes[position] ?? 0)) position++
  return position
}

const isOfNumber = (byte: number) =>
  (byte >= zero && byte <= nine) || byte === point || (byte & ~0x20) === capitalE || byte === minus || byte === 0x2b

/** Numbers of up to 15 characters have at most 15 digits, and those survive conversion to a float and back. */
const safeLength = 15

/**
 * Whether a number changes when converted to a float and back. Trailing zeros after the point are ignored in a field's
 * value (a rate of 1.50 is 1.5) unless fields hold ids.
 */
function losesCharacters(bytes: Buffer, start: number, end: number, keepsFields: boolean): boolean {
  const first = bytes[start]
  if (end - start <= safeLength && first !== minus && first !== zero) {
    let hasPoint = false
    for (let position = start; position < end; position++) {
      const next = bytes[position] ?? 0
      if (next === point) hasPoint = true
      else if (next > nine) return true
    }
    if (!hasPoint || bytes[end - 1] !== zero) return false
    return keepsFields || !isFieldValue(bytes, start)
  }
  const characters = bytes.toString('latin1', start, end)
  const read = String(Number(characters))
  if (read === characters) return false
  const mayTrim = !keepsFields && isFieldValue(bytes, start) && /^-?\d+\.\d+$/.test(characters)
  return !mayTrim || !characters.startsWith(read) || /[^.0]/.test(characters.slice(read.length))
}

function isFieldValue(bytes: Buffer, start: number): boolean {
  let position = start - 1
  while (position >= 0 && (bytes[position] ?? 0) <= 0x20) position--
  return bytes[position] === colon
}
