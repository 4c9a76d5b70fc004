import type { Tally } from './unpack.ts'

const [quote, comma, backslash, space] = [0x22, 0x2c, 0x5c, 0x20]
const closing = new Set(Buffer.from(']}'))
/** A comma after one of these follows no value. */
const opening = new Set(Buffer.from('[{,:'))
const blank = new Set(Buffer.from(' \t\r\n'))
/** What a backslash may stand before. Source: RFC 8259, section 7. */
const escapable = new Set(Buffer.from('"\\/bfnrtu'))

/**
 * Repairs two faults of JSON that have one cure: a comma after the last value of an array or object is dropped, and a
 * backslash that escapes nothing stands for itself.
 *
 * @param tally notes the byte of each, as published
 */
export async function* repairJson(chunks: AsyncIterable<Buffer>, tally: Tally): AsyncGenerator<Buffer> {
  let isText = false
  let isEscaped = false
  let before = 0
  // A comma, and the white space after it, wait for what follows.
  let held: Buffer = Buffer.alloc(0)
  let offset = 0
  for await (const published of chunks) {
    let chunk = held.length === 0 ? published : Buffer.concat([held, published])
    let commaAt = held.length === 0 ? -1 : 0
    const parts: Buffer[] = []
    let from = 0
    for (let at = held.length; at < chunk.length; at++) {
      const next = chunk[at] ?? 0
      if (isEscaped) {
        isEscaped = false
        if (escapable.has(next)) continue
        tally.note('stray-backslash', `byte ${offset + at - 1}`)
        parts.push(chunk.subarray(from, at), Buffer.of(backslash))
        from = at
      } else if (isText) {
        isEscaped = next === backslash
        isText = next !== quote
      } else if (!blank.has(next)) {
        if (commaAt >= 0 && closing.has(next)) {
          tally.note('trailing-comma', `byte ${offset + commaAt}`)
          // The chunk may belong to somebody who reads it again.
          if (chunk === published) chunk = Buffer.from(published)
          chunk[commaAt] = space
        }
        commaAt = next === comma && !opening.has(before) ? at : -1
        isText = next === quote
        before = next
      }
    }
    const end = commaAt >= 0 ? commaAt : chunk.length
    parts.push(chunk.subarray(from, end))
    held = Buffer.from(chunk.subarray(end))
    offset += end
    yield parts.length === 1 ? (parts[0] ?? held) : Buffer.concat(parts)
  }
  yield held
}
