import { uint8At } from '../schema/at.ts'
import type { Occurrences } from './occurrences.ts'
import type { OddForm } from './unpack.ts'

const [quote, comma, backslash, space] = [0x22, 0x2c, 0x5c, 0x20]
const closing = new Set(Buffer.from(']}'))
/** A comma after one of these follows no value. */
const opening = new Set(Buffer.from('[{,:'))
const blank = new Set(Buffer.from(' \t\r\n'))
/** Characters that a backslash may escape. Source: RFC 8259, section 7. */
const escapable = new Set(Buffer.from('"\\/bfnrtu'))

/** A comma whose next character other than white space has not been read yet. */
interface OpenComma {
  /** Position in the published file, in bytes. */
  readonly byte: number
  readonly chunk: Buffer
  /** Position in the chunk, in bytes. */
  readonly at: number
}

/** Maximum white space held back after a comma, in bytes: a comma before more of it is not repaired. */
const maxHeld = 1 << 26

/**
 * Repairs two faults of JSON that can be cured in one way only: a comma after the last value of an array or object is
 * dropped, and a backslash that escapes nothing stands for itself.
 *
 * @param oddities gets an occurrence for each repair, with its byte in the published file
 */
export async function* repairJson(
  chunks: AsyncIterable<Buffer>,
  oddities: Occurrences<OddForm>,
): AsyncGenerator<Buffer> {
  let isText = false
  let isEscaped = false
  let before = 0
  let offset = 0
  let open: OpenComma | undefined
  /** Repaired chunks that have to wait: the chunk of the open comma and those after it. */
  const held: Buffer[] = []
  for await (const published of chunks) {
    const chunk = Buffer.allocUnsafe(2 * published.length)
    let length = 0
    for (let at = 0; at < published.length; at++) {
      const next = uint8At(published, at)
      if (isEscaped) {
        isEscaped = false
        if (!escapable.has(next)) {
          oddities.note('stray-backslash', () => `byte ${offset + at - 1}`)
          chunk[length++] = backslash
        }
      } else if (isText) {
        isEscaped = next === backslash
        isText = next !== quote
      } else if (!blank.has(next)) {
        if (open !== undefined && closing.has(next)) {
          const { byte } = open
          oddities.note('trailing-comma', () => `byte ${byte}`)
          open.chunk[open.at] = space
        }
        open = next === comma && !opening.has(before) ? { byte: offset + at, chunk, at: length } : undefined
        isText = next === quote
        before = next
      }
      chunk[length++] = next
    }
    offset += published.length
    if (open !== undefined && offset - open.byte > maxHeld) open = undefined
    if (open?.chunk === chunk) yield* held.splice(0)
    held.push(chunk.subarray(0, length))
    if (open === undefined) yield* held.splice(0)
  }
  yield* held
}
