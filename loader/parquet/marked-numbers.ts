import { type EncodedColumn, writeAllPresent } from './encode-column.ts'
import { ByteOutput } from './level-encoding.ts'

/**
 * Numbers below 2^32 as texts that sort like them: a mark, which is one ASCII character, and eight hexadecimal digits.
 */
export const markedNumber = (mark: string, number: number) => mark + number.toString(16).padStart(digits, '0')

const digits = 8

const hexDigits = Buffer.from('0123456789abcdef')

/** Bytes of such a text in the encoding PLAIN, with its length. */
export const markedSize = 4 + 1 + digits

/** Writes such a text in the encoding PLAIN. */
export function writeMarkedNumber(bytes: Uint8Array, start: number, mark: number, number: number): void {
  bytes[start] = 1 + digits
  bytes[start + 1] = 0
  bytes[start + 2] = 0
  bytes[start + 3] = 0
  bytes[start + 4] = mark
  for (let digit = 0; digit < digits; digit++)
    bytes[start + 5 + digit] = hexDigits[(number >>> (28 - 4 * digit)) & 15] ?? 0
}

/** Encodes such texts without a dictionary. */
export function encodeMarkedNumbers(mark: string, numbers: Uint32Array, rows: number): EncodedColumn {
  const output = new ByteOutput(rows * markedSize + 64)
  writeAllPresent(output, rows)
  output.reserve(rows * markedSize)
  writeMarkedNumbers(output.bytes, output.length, mark.charCodeAt(0), numbers, rows)
  output.length += rows * markedSize
  const { min, max } = findRange(numbers, rows)
  return { page: output.view(), values: rows, nulls: 0, min: markedNumber(mark, min), max: markedNumber(mark, max) }
}

function writeMarkedNumbers(bytes: Uint8Array, start: number, mark: number, numbers: Uint32Array, rows: number): void {
  for (let row = 0; row < rows; row++) writeMarkedNumber(bytes, start + row * markedSize, mark, numbers[row] ?? 0)
}

function findRange(numbers: Uint32Array, rows: number): { readonly min: number; readonly max: number } {
  const range = { min: numbers[0] ?? 0, max: numbers[0] ?? 0 }
  for (let row = 1; row < rows; row++) {
    const number = numbers[row] ?? 0
    if (number < range.min) range.min = number
    else if (number > range.max) range.max = number
  }
  return range
}
