import type { DistinctValues } from './distinct-values.ts'

const digits = 8
const hexDigits = Buffer.from('0123456789abcdef')

/** Bytes of such a text in the encoding PLAIN, with its length. */
export const markedSize = 4 + 1 + digits

/** Numbers below 2^32 as texts that sort like them: a mark, which is one ASCII character, and eight hexadecimal digits. */
export class MarkedNumbers implements DistinctValues {
  readonly count = 2 ** 32
  readonly #mark: string

  constructor(mark: string) {
    this.#mark = mark
  }

  encode(numbers: Uint32Array, count: number): Buffer {
    const bytes = Buffer.allocUnsafe(count * markedSize)
    for (let index = 0; index < count; index++) this.write(bytes, index * markedSize, numbers[index] ?? 0)
    return bytes
  }

  at(number: number): string {
    return this.#mark + number.toString(16).padStart(digits, '0')
  }

  compare(one: number, other: number): number {
    return one - other
  }

  /** Writes one in the encoding PLAIN. */
  write(bytes: Uint8Array, start: number, number: number): void {
    bytes[start] = 1 + digits
    bytes[start + 1] = 0
    bytes[start + 2] = 0
    bytes[start + 3] = 0
    bytes[start + 4] = this.#mark.charCodeAt(0)
    for (let digit = 0; digit < digits; digit++)
      bytes[start + 5 + digit] = hexDigits[(number >>> (28 - 4 * digit)) & 15] ?? 0
  }
}
