import type { DistinctValues } from '../distinct-values.ts'
import type { PortionGroups } from './inline-groups.ts'
import { inlineMark, type RankedIds, type ReferenceIds } from './reference-ids.ts'

/** The key of a reference's group: its id, unless that could be the key of an inline group. */
const escapeKey = (id: string) => (id.startsWith(inlineMark) ? `${inlineMark}${id}` : id)

/**
 * The keys of groups by their rank: those of references, and in between those of inline groups, which are a mark and the
 * group's number in eight hexadecimal digits.
 */
export class GroupKeys implements DistinctValues {
  readonly #ids: ReferenceIds
  readonly #ranked: RankedIds
  readonly #inline: PortionGroups

  constructor(ids: ReferenceIds, inline: PortionGroups) {
    this.#ids = ids
    this.#ranked = ids.rank()
    this.#inline = inline
  }

  get count(): number {
    return this.#ranked.order.length + this.#inline.count
  }

  /** The rank of a reference by the number of its id. */
  rankOfReference(number: number): number {
    const rank = this.#ranked.ranks[number] ?? 0
    return rank < this.#ranked.beforeInline ? rank : rank + this.#inline.count
  }

  /** The rank of an inline group by its number in the file. */
  rankOfInline(number: number): number {
    return this.#ranked.beforeInline + number - this.#inline.first
  }

  encode(ranks: Uint32Array, count: number): Buffer {
    let size = 0
    for (let index = 0; index < count; index++) size += this.#sizeOf(ranks[index] ?? 0)
    const target = Buffer.allocUnsafe(size)
    let at = 0
    for (let index = 0; index < count; index++) {
      const rank = ranks[index] ?? 0
      at = this.#isInline(rank)
        ? writeInlineKey(target, at, this.#numberOf(rank))
        : this.#writeId(target, at, this.#idOf(rank))
    }
    return target
  }

  at(rank: number): string {
    if (this.#isInline(rank)) return inlineMark + this.#numberOf(rank).toString(16).padStart(digits, '0')
    return escapeKey(this.#ids.texts.at(this.#idOf(rank)))
  }

  compare(one: number, other: number): number {
    return one - other
  }

  #isInline(rank: number): boolean {
    const { beforeInline } = this.#ranked
    return rank >= beforeInline && rank < beforeInline + this.#inline.count
  }

  #numberOf(rank: number): number {
    return this.#inline.first + rank - this.#ranked.beforeInline
  }

  #idOf(rank: number): number {
    const { order, beforeInline } = this.#ranked
    return order[rank < beforeInline ? rank : rank - this.#inline.count] ?? 0
  }

  #marksOf(id: number): number {
    return this.#ids.texts.firstByteOf(id) === mark ? 1 : 0
  }

  /** Ids are too short for a call to copy them. @returns the end of the key */
  #writeId(target: Buffer, start: number, id: number): number {
    const { bytes, starts } = this.#ids.texts
    const from = (starts[id] ?? 0) + lengthBytes
    const length = (starts[id + 1] ?? 0) - from
    const marks = this.#marksOf(id)
    target.writeUInt32LE(length + marks, start)
    let at = start + lengthBytes
    if (marks > 0) target[at++] = mark
    for (let index = 0; index < length; index++) target[at++] = bytes[from + index] ?? 0
    return at
  }

  #sizeOf(rank: number): number {
    if (this.#isInline(rank)) return inlineSize
    const id = this.#idOf(rank)
    const { starts } = this.#ids.texts
    return (starts[id + 1] ?? 0) - (starts[id] ?? 0) + this.#marksOf(id)
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
    target[start + 5 + digit] = hexDigits[(number >>> (28 - 4 * digit)) & 15] ?? 0
  return start + inlineSize
}
