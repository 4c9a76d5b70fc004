import { uint8At } from '../../../schema/at.ts'
/**
 * Steps over JSON in a buffer whose bytes up to `end` are known. Each function returns the position after what it stepped
 * over, or one of these; they check only what tells where a value ends.
 */

/** The bytes are unusual, or not JSON: they must be read the ordinary way. */
export const odd = -1

/** The bytes end before. */
export const short = -2

export const byte = {
  quote: 0x22,
  comma: 0x2c,
  minus: 0x2d,
  point: 0x2e,
  zero: 0x30,
  nine: 0x39,
  colon: 0x3a,
  bracketOpen: 0x5b,
  backslash: 0x5c,
  bracketClose: 0x5d,
  braceOpen: 0x7b,
  braceClose: 0x7d,
} as const

/** Passes white space; the result may be `end`. */
export function passSpace(bytes: Buffer, start: number, end: number): number {
  let at = start
  while (at < end) {
    const next = bytes[at]
    if (next !== 0x20 && next !== 0x0a && next !== 0x0d && next !== 0x09) break
    at++
  }
  return at
}

/** Passes a string of printable ASCII characters without an escape; anything else is odd. */
export function passPlainString(bytes: Buffer, start: number, end: number): number {
  if (bytes[start] !== byte.quote) return odd
  for (let at = start + 1; at < end; at++) {
    const next = uint8At(bytes, at)
    if (next === byte.quote) return at + 1
    if (next < 0x20 || next > 0x7e || next === byte.backslash) return odd
  }
  return short
}

/** Passes a number, a word, or what is not JSON: up to white space or what stands after a value. */
export function passScalar(bytes: Buffer, start: number, end: number): number {
  for (let at = start; at < end; at++) if (isDelimiter(uint8At(bytes, at))) return at
  return short
}

/** Whether a byte ends a number or a word. */
export const isDelimiter = (next: number): boolean =>
  next <= 0x20 || next === byte.comma || next === byte.colon || next === byte.bracketClose || next === byte.braceClose

/** Reads an element of an array, or a field of an object with its name. @returns the position after it, `odd` or `short` */
export type ReadOne = (bytes: Buffer, start: number, end: number) => number

/**
 * Reads an array or object part by part.
 *
 * @param opening its bracket or brace; anything else is odd
 */
export function readEach(bytes: Buffer, start: number, end: number, opening: number, read: ReadOne): number {
  if (start >= end) return short
  if (bytes[start] !== opening) return odd
  // Brackets and braces are two apart from those that close them.
  const closing = opening + 2
  let at = passSpace(bytes, start + 1, end)
  if (at < end && bytes[at] === closing) return at + 1
  for (;;) {
    if (at >= end) return short
    at = read(bytes, at, end)
    if (at < 0) return at
    at = passSpace(bytes, at, end)
    if (at >= end) return short
    if (bytes[at] === closing) return at + 1
    if (bytes[at] !== byte.comma) return odd
    at = passSpace(bytes, at + 1, end)
  }
}

/** Passes the name of a field and its colon. @returns the position of its value, `odd` or `short` */
export function passName(bytes: Buffer, start: number, end: number): number {
  const afterName = passPlainString(bytes, start, end)
  return afterName < 0 ? afterName : passColon(bytes, afterName, end)
}

/** Passes the colon after a name. @returns the position of the value, `odd` or `short` */
export function passColon(bytes: Buffer, afterName: number, end: number): number {
  const colon = passSpace(bytes, afterName, end)
  if (colon >= end) return short
  if (bytes[colon] !== byte.colon) return odd
  const value = passSpace(bytes, colon + 1, end)
  return value < end ? value : short
}

/** Passes digits; the result may be `end`. */
export function passDigits(bytes: Buffer, start: number, end: number): number {
  let at = start
  while (at < end) {
    const next = uint8At(bytes, at)
    if (next < byte.zero || next > byte.nine) break
    at++
  }
  return at
}

/** The number that digits stand for: exact if there are at most 15. */
export function readDigits(bytes: Buffer, start: number, stop: number): number {
  let number = 0
  for (let at = start; at < stop; at++) number = number * 10 + uint8At(bytes, at) - byte.zero
  return number
}

/** Whether the bytes at a position are those of a text in ASCII. */
export function isAt(bytes: Buffer, at: number, text: Buffer): boolean {
  for (let index = 0; index < text.length; index++) if (bytes[at + index] !== text[index]) return false
  return true
}
