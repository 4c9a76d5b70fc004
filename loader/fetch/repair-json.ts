import type { Occurrences } from './occurrences.ts'
import type { OddForm } from './unpack.ts'

const [quote, comma, backslash, space] = [0x22, 0x2c, 0x5c, 0x20]
const closing = new Set(Buffer.from(']}'))
/** A comma after one of these follows no value. */
const opening = new Set(Buffer.from('[{,:'))
const blank = new Set(Buffer.from(' \t\r\n'))
/** What a backslash may stand before. Source: RFC 8259, section 7. */
const escapable = new Set(Buffer.from('"\\/bfnrtu'))

/** Bytes of white space that a comma waits for: one before more of it is not repaired. */
const maxHeld = 1 << 26

/**
 * Repairs two faults of JSON that have one cure: a comma after the last value of an array or object is dropped, and a
 * backslash that escapes nothing stands for itself.
 *
 * @param oddities has the byte of each, as published
 */
export async function* repairJson(
  chunks: AsyncIterable<Buffer>,
  oddities: Occurrences<OddForm>,
): AsyncGenerator<Buffer> {
  let isText = false
  let isEscaped = false
  let before = 0
  let offset = 0
  /** The byte of a comma that waits for what follows; -1 if none does. */
  let commaAt = -1
  // The white space after the comma, if that is of an earlier chunk.
  let held: Buffer[] = []
  let heldBytes = 0
  const release = (sign: number) => {
    const whole = Buffer.concat([Buffer.of(sign), ...held])
    held = []
    heldBytes = 0
    return whole
  }
  for await (const chunk of chunks) {
    const parts: Buffer[] = []
    let from = 0
    for (let at = 0; at < chunk.length; at++) {
      const next = chunk[at] ?? 0
      if (isEscaped) {
        isEscaped = false
        if (escapable.has(next)) continue
        oddities.note('stray-backslash', () => `byte ${offset + at - 1}`)
        parts.push(chunk.subarray(from, at), Buffer.of(backslash))
        from = at
      } else if (isText) {
        isEscaped = next === backslash
        isText = next !== quote
      } else if (!blank.has(next)) {
        const isLast = commaAt >= 0 && closing.has(next)
        if (isLast) oddities.note('trailing-comma', () => `byte ${commaAt}`)
        if (commaAt >= offset && isLast) {
          parts.push(chunk.subarray(from, commaAt - offset), Buffer.of(space))
          from = commaAt - offset + 1
        } else if (commaAt >= 0 && commaAt < offset) parts.push(release(isLast ? space : comma))
        commaAt = next === comma && !opening.has(before) ? offset + at : -1
        isText = next === quote
        before = next
      }
    }
    if (commaAt >= 0) {
      const end = Math.max(0, commaAt - offset)
      parts.push(chunk.subarray(from, end))
      held.push(chunk.subarray(commaAt < offset ? end : end + 1))
      heldBytes += chunk.length - end
      if (heldBytes > maxHeld) {
        parts.push(release(comma))
        commaAt = -1
      }
    } else parts.push(chunk.subarray(from))
    offset += chunk.length
    yield parts.length === 1 ? (parts[0] ?? chunk) : Buffer.concat(parts)
  }
  if (commaAt >= 0) yield release(comma)
}
