import type { PortionGroups } from '../inline-groups/inline-groups.ts'
import type { DistinctValues } from '../parquet/column-values.ts'
import { markedNumber, markedSize, writeMarkedNumber } from '../parquet/marked-numbers.ts'
import type { TextPool } from '../parquet/text-pool.ts'
import type { RankedIds } from './reference-ids.ts'

/** What the keys of inline groups begin with. */
export const inlineMark = '~'

const mark = inlineMark.charCodeAt(0)

/** The key of a reference's group: its id, unless that could be the key of an inline group. */
export const escapeKey = (id: string) => (id.startsWith(inlineMark) ? `${inlineMark}${id}` : id)

/** The keys of groups by their rank: those of references, and in between those of a portion's inline groups. */
export class GroupKeys implements DistinctValues {
  readonly ofId: Int32Array
  readonly lists = undefined
  readonly longest = 1
  readonly hasNulls = false
  readonly #texts: TextPool
  readonly #ids: RankedIds
  readonly #inline: PortionGroups

  /** @param texts the ids of references, by their number */
  constructor(texts: TextPool, ids: RankedIds, inline: PortionGroups) {
    this.#texts = texts
    this.#ids = ids
    this.#inline = inline
    this.ofId = Int32Array.from({ length: ids.order.length + inline.count }, (_, rank) => rank)
  }

  get count(): number {
    return this.ofId.length
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

  sizeOf(rank: number): number {
    return this.#isInline(rank)
      ? markedSize
      : lengthBytes + this.#markBytes(rank) + this.#texts.sizeOf(this.#idOf(rank))
  }

  concat(ranks: readonly number[]): Buffer {
    let size = 0
    for (const rank of ranks) size += this.sizeOf(rank)
    const target = Buffer.allocUnsafe(size)
    let at = 0
    for (const rank of ranks) {
      const end = at + this.sizeOf(rank)
      if (this.#isInline(rank)) writeMarkedNumber(target, at, mark, this.#numberOf(rank))
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
    return this.#isInline(rank)
      ? markedNumber(inlineMark, this.#numberOf(rank))
      : escapeKey(this.#texts.at(this.#idOf(rank)))
  }

  compare(one: number, other: number): number {
    return one - other
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
