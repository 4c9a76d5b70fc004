import type { DistinctValues } from '../parquet/column-values.ts'
import { markedSize, writeMarkedNumber } from '../parquet/marked-numbers.ts'
import { inlineKey, inlineMark } from '../staging/group-tables.ts'
import type { RankedInline } from './write-prices.ts'

/** The keys of a part's groups, sorted: those of inline groups are made from their numbers. */
export class GroupKeys implements DistinctValues {
  readonly ofId: Int32Array
  readonly lists = undefined
  readonly longest = 1
  readonly hasNulls = false
  readonly #ofReferences: readonly string[]
  readonly #inline: RankedInline

  /** @param ofReferences sorted */
  constructor(ofReferences: readonly string[], inline: RankedInline) {
    this.#ofReferences = ofReferences
    this.#inline = inline
    this.ofId = new Int32Array(ofReferences.length + inline.count)
    for (let id = 0; id < this.ofId.length; id++) this.ofId[id] = id
  }

  get count(): number {
    return this.ofId.length
  }

  sizeOf(index: number): number {
    return lengthBytes + Buffer.byteLength(this.at(index))
  }

  concat(indexes: readonly number[]): Buffer {
    const { before, count, first } = this.#inline
    const mark = inlineMark.charCodeAt(0)
    let bytes = Buffer.allocUnsafe(markedSize * indexes.length)
    let length = 0
    for (const index of indexes) {
      const isInline = index >= before && index < before + count
      const size = isInline ? markedSize : this.sizeOf(index)
      if (length + size > bytes.length) bytes = Buffer.concat([bytes], 2 * (length + size))
      if (isInline) writeMarkedNumber(bytes, length, mark, first + index - before)
      else {
        bytes.writeUInt32LE(size - lengthBytes, length)
        bytes.write(this.at(index), length + lengthBytes)
      }
      length += size
    }
    return bytes.subarray(0, length)
  }

  at(index: number): string {
    const { before, count, first } = this.#inline
    if (index < before) return this.#ofReferences[index] ?? ''
    return index < before + count ? inlineKey(first + index - before) : (this.#ofReferences[index - count] ?? '')
  }

  compare(one: number, other: number): number {
    return one - other
  }
}

const lengthBytes = 4
