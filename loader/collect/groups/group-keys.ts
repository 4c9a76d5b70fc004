import { uint8At, uint32At } from '../../../schema/at.ts'
import { compareTexts } from '../column-values.ts'
import type { DistinctValues } from '../distinct/distinct-values.ts'
import type { TextList } from '../distinct/text-list.ts'
import type { PortionGroups } from './inline-groups.ts'

/** What the keys of inline groups begin with. */
const inlineMark = '~'

/** The key of a reference's group: its id, unless that could be the key of an inline group. */
const escapeKey = (id: string) => (id.startsWith(inlineMark) ? `${inlineMark}${id}` : id)

/**
 * The keys of groups: those of references, by the numbers of their ids, and after them those of inline groups, which are a
 * mark and the group's number in eight hexadecimal digits.
 */
export class GroupKeys implements DistinctValues {
  readonly #ids: TextList
  readonly #inline: PortionGroups
  /** How many ids there are, for the keys' lifetime. */
  readonly #idCount: number

  /** @param ids of references, by their numbers */
  constructor(ids: TextList, inline: PortionGroups) {
    this.#ids = ids
    this.#inline = inline
    this.#idCount = ids.count
  }

  get count(): number {
    return this.#idCount + this.#inline.count
  }

  /** The key of an inline group by its number in the file. */
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
    return inlineMark + this.#numberOf(key).toString(16).padStart(digits, '0')
  }

  /** Another mark before the key of an id does not change the order. */
  compare(one: number, other: number): number {
    if (one < this.#idCount && other < this.#idCount) return this.#ids.compare(one, other)
    const areInline = one >= this.#idCount && other >= this.#idCount
    return areInline ? one - other : compareTexts(this.at(one), this.at(other))
  }

  #numberOf(key: number): number {
    return this.#inline.first + key - this.#idCount
  }

  #marksOf(id: number): number {
    return this.#ids.firstByteOf(id) === mark ? 1 : 0
  }

  /** Ids are too short for a call to copy them. @returns the end of the key */
  #writeId(target: Buffer, start: number, id: number): number {
    const { bytes, starts } = this.#ids
    const from = uint32At(starts, id) + lengthBytes
    const length = uint32At(starts, id + 1) - from
    const marks = this.#marksOf(id)
    target.writeUInt32LE(length + marks, start)
    let at = start + lengthBytes
    if (marks > 0) target[at++] = mark
    for (let index = 0; index < length; index++) target[at++] = uint8At(bytes, from + index)
    return at
  }

  #sizeOf(key: number): number {
    if (key >= this.#idCount) return inlineSize
    const { starts } = this.#ids
    return uint32At(starts, key + 1) - uint32At(starts, key) + this.#marksOf(key)
  }
}

const mark = inlineMark.charCodeAt(0)
const lengthBytes = 4
const digits = 8
const inlineSize = lengthBytes + 1 + digits
const hexDigits = Buffer.from('0123456789abcdef')

/** Writes a key in the encoding PLAIN. @returns its end */
function writeInlineKey(target: Buffer, start: number, number: number): number {
  target[start] = 1 + digits
  target[start + 1] = 0
  target[start + 2] = 0
  target[start + 3] = 0
  target[start + 4] = mark
  for (let digit = 0; digit < digits; digit++)
    target[start + 5 + digit] = uint8At(hexDigits, (number >>> (28 - 4 * digit)) & 15)
  return start + inlineSize
}
