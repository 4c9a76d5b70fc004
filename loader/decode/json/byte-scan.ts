import { uint8At } from '../../../schema/at.ts'

/**
 * Steps over JSON in a buffer that is valid up to `end`. Each function returns the position after the value that it
 * passed, or `odd` or `short`. It checks only the bytes that tell where the value ends.
 */

/** The bytes are unusual, or not JSON. The value must be parsed, the ordinary way to read it. */
export const odd = -1

/** The bytes end before the value does. */
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

/** Passes a number, a word, or bytes that are not JSON: all up to white space or a delimiter. */
export function passScalar(bytes: Buffer, start: number, end: number): number {
  for (let at = start; at < end; at++) if (isDelimiter(uint8At(bytes, at))) return at
  return short
}

/** True if the byte ends a number or a word. */
export const isDelimiter = (next: number): boolean =>
  next <= 0x20 || next === byte.comma || next === byte.colon || next === byte.bracketClose || next === byte.braceClose

/**
 * Reads an element of an array, or a field of an object with its name. Returns the position after it, `odd` or `short`.
 */
export type ReadOne = (bytes: Buffer, start: number, end: number) => number

/**
 * Reads an array element by element, or an object field by field.
 *
 * @param opening bracket or brace that must be at `start`; any other byte is odd
 */
// biome-ignore lint/complexity/useMaxParams: called for every object of a file, so it takes no object of arguments
export function readEach(bytes: Buffer, start: number, end: number, opening: number, read: ReadOne): number {
  if (start >= end) return short
  if (bytes[start] !== opening) return odd
  // In ASCII, a closing bracket or brace comes two after its opening one.
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

/** Returns the number that digits stand for, exact if there are at most 15. */
export function readDigits(bytes: Buffer, start: number, stop: number): number {
  let number = 0
  for (let at = start; at < stop; at++) number = number * 10 + uint8At(bytes, at) - byte.zero
  return number
}

/** True if a text in ASCII is at this position. */
export function isAt(bytes: Buffer, at: number, text: Buffer): boolean {
  for (let index = 0; index < text.length; index++) if (bytes[at + index] !== text[index]) return false
  return true
}
