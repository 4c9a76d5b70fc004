import type { DistinctValues } from '../distinct-values.ts'
import { MarkedNumbers, markedSize } from '../marked-numbers.ts'
import type { TextPool } from '../text-pool.ts'
import type { PortionGroups } from './inline-groups.ts'
import { inlineMark, type RankedIds } from './reference-ids.ts'

const mark = inlineMark.charCodeAt(0)
/** The keys of inline groups by their number. */
export const inlineKeys = new MarkedNumbers(inlineMark)

/** The key of a reference's group: its id, unless that could be the key of an inline group. */
export const escapeKey = (id: string) => (id.startsWith(inlineMark) ? `${inlineMark}${id}` : id)

/** The keys of groups by their rank: those of references, and in between those of a portion's inline groups. */
export class GroupKeys implements DistinctValues {
  readonly #texts: TextPool
  readonly #ids: RankedIds
  readonly #inline: PortionGroups

  /** @param texts the ids of references, by their number */
  constructor(texts: TextPool, ids: RankedIds, inline: PortionGroups) {
    this.#texts = texts
    this.#ids = ids
    this.#inline = inline
  }

  get count(): number {
    return this.#ids.order.length + this.#inline.count
  }

  /** The rank of a reference by the number of its id. */
  rankOfReference(number: number): number {
    const rank = this.#ids.ranks[number] ?? 0
    return rank < this.#ids.beforeInline ? rank : rank + this.#inline.count
  }

  /** The rank of an inline group by its number in the file. */
  rankOfInline(number: number): number {
    return this.#ids.beforeInline + number - this.#inline.first
  }

  encode(ranks: Uint32Array, count: number): Buffer {
    let size = 0
    for (let index = 0; index < count; index++) size += this.#sizeOf(ranks[index] ?? 0)
    const target = Buffer.allocUnsafe(size)
    let at = 0
    for (let index = 0; index < count; index++) {
      const rank = ranks[index] ?? 0
      const end = at + this.#sizeOf(rank)
      if (this.#isInline(rank)) inlineKeys.write(target, at, this.#numberOf(rank))
      else {
        target.writeUInt32LE(end - at - lengthBytes, at)
        at += lengthBytes
        if (this.#markBytes(rank) > 0) target[at++] = mark
        this.#texts.copy(this.#idOf(rank), target, at)
      }
      at = end
    }
    return target
  }

  at(rank: number): string {
    return this.#isInline(rank) ? inlineKeys.at(this.#numberOf(rank)) : escapeKey(this.#texts.at(this.#idOf(rank)))
  }

  compare(one: number, other: number): number {
    return one - other
  }

  #sizeOf(rank: number): number {
    return this.#isInline(rank)
      ? markedSize
      : lengthBytes + this.#markBytes(rank) + this.#texts.sizeOf(this.#idOf(rank))
  }

  #isInline(rank: number): boolean {
    const { beforeInline } = this.#ids
    return rank >= beforeInline && rank < beforeInline + this.#inline.count
  }

  #numberOf(rank: number): number {
    return this.#inline.first + rank - this.#ids.beforeInline
  }

  #idOf(rank: number): number {
    return this.#ids.order[rank < this.#ids.beforeInline ? rank : rank - this.#inline.count] ?? 0
  }

  #markBytes(rank: number): number {
    return this.#texts.firstByteOf(this.#idOf(rank)) === mark ? 1 : 0
  }
}

const lengthBytes = 4
