import { uint8At, uint32At } from '../../../schema/at.ts'
import { compareTexts } from '../column-values.ts'
import type { DistinctValues } from '../distinct/distinct-values.ts'
import type { TextList } from '../distinct/text-list.ts'
import type { PortionGroups } from './inline-groups.ts'

/** First character of the keys of inline groups. */
const inlinePrefix = '~'

/** Returns the key of a reference's group: its id, with a prefix if it could be the key of an inline group. */
const escapeKey = (id: string) => (id.startsWith(inlinePrefix) ? `${inlinePrefix}${id}` : id)

/**
 * The keys of groups: first those of references, by the numbers of their ids, then those of inline groups. The key of
 * an inline group is a prefix and the group's number in eight hexadecimal digits.
 */
export class GroupKeys implements DistinctValues {
  readonly #ids: TextList
  readonly #inline: PortionGroups
  /** Number of ids, which stays the same as long as the keys are used. */
  readonly #idCount: number

  /** @param ids ids of references by their numbers */
  constructor(ids: TextList, inline: PortionGroups) {
    this.#ids = ids
    this.#inline = inline
    this.#idCount = ids.count
  }

  get count(): number {
    return this.#idCount + this.#inline.count
  }

  /** Returns the key of an inline group by its number in the file. */
  ofInline(number: number): number {
    return this.#idCount + number - this.#inline.first
  }

  encode(keys: Uint32Array, count: number): Buffer {
    let size = 0
    for (let index = 0; index < count; index++) size += this.#sizeOf(uint32At(keys, index))
    const target = Buffer.allocUnsafe(size)
    let at = 0
    for (let index = 0; index < count; index++) {
      const key = uint32At(keys, index)
      at = key < this.#idCount ? this.#writeId(target, at, key) : writeInlineKey(target, at, this.#numberOf(key))
    }
    return target
  }

  at(key: number): string {
    if (key < this.#idCount) return escapeKey(this.#ids.at(key))
    return inlinePrefix + this.#numberOf(key).toString(16).padStart(digits, '0')
  }

  /** Compares two ids without their prefixes, which do not change the order. */
  compare(one: number, other: number): number {
    if (one < this.#idCount && other < this.#idCount) return this.#ids.compare(one, other)
    const areInline = one >= this.#idCount && other >= this.#idCount
    return areInline ? one - other : compareTexts(this.at(one), this.at(other))
  }

  #numberOf(key: number): number {
    return this.#inline.first + key - this.#idCount
  }

  #prefixLengthOf(id: number): number {
    return this.#ids.firstByteOf(id) === prefixByte ? 1 : 0
  }

  /** Writes the key of an id, byte by byte because most are too short for a call that copies. @returns the key's end */
  #writeId(target: Buffer, start: number, id: number): number {
    const { bytes, starts } = this.#ids
    const from = uint32At(starts, id) + lengthBytes
    const length = uint32At(starts, id + 1) - from
    const prefixLength = this.#prefixLengthOf(id)
    target.writeUInt32LE(length + prefixLength, start)
    let at = start + lengthBytes
    if (prefixLength > 0) target[at++] = prefixByte
    for (let index = 0; index < length; index++) target[at++] = uint8At(bytes, from + index)
    return at
  }

  #sizeOf(key: number): number {
    if (key >= this.#idCount) return inlineSize
    const { starts } = this.#ids
    return uint32At(starts, key + 1) - uint32At(starts, key) + this.#prefixLengthOf(key)
  }
}

const prefixByte = inlinePrefix.charCodeAt(0)
const lengthBytes = 4
const digits = 8
const inlineSize = lengthBytes + 1 + digits
const hexDigits = Buffer.from('0123456789abcdef')

/** Writes a key in the encoding PLAIN. @returns the key's end */
function writeInlineKey(target: Buffer, start: number, number: number): number {
  target[start] = 1 + digits
  target[start + 1] = 0
  target[start + 2] = 0
  target[start + 3] = 0
  target[start + 4] = prefixByte
  for (let digit = 0; digit < digits; digit++)
    target[start + 5 + digit] = uint8At(hexDigits, (number >>> (28 - 4 * digit)) & 15)
  return start + inlineSize
}
