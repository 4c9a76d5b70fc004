import { uint8At } from '../../../schema/at.ts'
import { byte, isDelimiter, odd, passDigits, passPlainString, short } from '../json/byte-scan.ts'

/** Numbers the ids of references. Two ids have the same number exactly if they have the same characters. */
export interface IdNumbers {
  /** @param id value of the digits from `start` to `end`, a natural number of at most 2^53 */
  numberOfNatural(id: number, digits: Uint8Array, start: number, end: number): number
  readonly texts: { addBytes(source: Uint8Array, start: number, end: number): number }
}

/** Maximum number of digits of a natural number that is exact as a float. */
const maxDigits = 15

/** Reads ids of references: numbers without a sign or an exponent, or texts of printable ASCII characters. */
export class IdReader {
  /** The number of the id that was read last. */
  number = 0
  readonly #ids: IdNumbers

  constructor(ids: IdNumbers) {
    this.#ids = ids
  }

  /** @returns the position after the id, `odd` or `short` */
  read(bytes: Buffer, start: number, end: number): number {
    let natural = 0
    let at = start
    for (; at < end; at++) {
      const digit = uint8At(bytes, at) - byte.zero
      if (digit < 0 || digit > 9) break
      natural = natural * 10 + digit
    }
    const digits = at - start
    const isNatural = digits > 0 && digits <= maxDigits && (digits === 1 || bytes[start] !== byte.zero)
    if (at < end && isNatural && isDelimiter(uint8At(bytes, at))) {
      this.number = this.#ids.numberOfNatural(natural, bytes, start, at)
      return at
    }
    return this.#readCharacters(bytes, start, end)
  }

  #readCharacters(bytes: Buffer, start: number, end: number): number {
    const isText = bytes[start] === byte.quote
    const after = isText ? passPlainString(bytes, start, end) : passDecimal(bytes, start, end)
    if (after < 0) return after
    const [first, stop] = isText ? [start + 1, after - 1] : [start, after]
    if (first === stop) return odd
    this.number = this.#ids.texts.addBytes(bytes, first, stop)
    return after
  }
}

function passDecimal(bytes: Buffer, start: number, end: number): number {
  const point = passDigits(bytes, start, end)
  const isWhole = bytes[point] !== byte.point
  const after = isWhole ? point : passDigits(bytes, point + 1, end)
  if (after >= end) return short
  const isNumber =
    point > start && (point === start + 1 || bytes[start] !== byte.zero) && (isWhole || after > point + 1)
  return isNumber && isDelimiter(uint8At(bytes, after)) ? after : odd
}
