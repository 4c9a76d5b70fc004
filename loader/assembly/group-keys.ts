import type { DistinctValues } from '../parquet/column-values.ts'
import { encodePlain } from '../parquet/column-values.ts'
import { markedSize, writeMarkedNumber } from '../parquet/marked-numbers.ts'
import { inlineKey, inlineMark } from '../staging/group-tables.ts'
import type { RankedInline } from './sort-prices.ts'

/** The keys of a part's groups, sorted: those of inline groups are made from their numbers. */
export class GroupKeys implements DistinctValues {
  readonly ofId: Int32Array
  readonly lists = undefined
  readonly longest = 1
  readonly hasNulls = false
  readonly #ofReferences: readonly string[]
  /** The keys of references in the encoding PLAIN, and where each begins. */
  readonly #bytes: Buffer
  readonly #starts: Uint32Array
  readonly #inline: RankedInline

  /** @param ofReferences sorted */
  constructor(ofReferences: readonly string[], inline: RankedInline) {
    this.#ofReferences = ofReferences
    this.#inline = inline
    this.#starts = new Uint32Array(ofReferences.length + 1)
    this.#bytes = encodePlain(ofReferences, this.#starts)
    this.ofId = new Int32Array(ofReferences.length + inline.count)
    for (let id = 0; id < this.ofId.length; id++) this.ofId[id] = id
  }

  get count(): number {
    return this.ofId.length
  }

  sizeOf(index: number): number {
    if (this.#isInline(index)) return markedSize
    const reference = this.#referenceOf(index)
    return (this.#starts[reference + 1] ?? 0) - (this.#starts[reference] ?? 0)
  }

  concat(indexes: readonly number[]): Buffer {
    const { before, first } = this.#inline
    const mark = inlineMark.charCodeAt(0)
    let size = 0
    for (const index of indexes) size += this.sizeOf(index)
    const target = Buffer.allocUnsafe(size)
    let at = 0
    for (const index of indexes) {
      if (this.#isInline(index)) {
        writeMarkedNumber(target, at, mark, first + index - before)
        at += markedSize
        continue
      }
      const reference = this.#referenceOf(index)
      const end = this.#starts[reference + 1] ?? 0
      for (let from = this.#starts[reference] ?? 0; from < end; from++) target[at++] = this.#bytes[from] ?? 0
    }
    return target
  }

  at(index: number): string {
    const { before, first } = this.#inline
    return this.#isInline(index)
      ? inlineKey(first + index - before)
      : (this.#ofReferences[this.#referenceOf(index)] ?? '')
  }

  /** Keys are sorted. */
  compare(one: number, other: number): number {
    return one - other
  }

  #isInline(index: number): boolean {
    return index >= this.#inline.before && index < this.#inline.before + this.#inline.count
  }

  #referenceOf(index: number): number {
    return index < this.#inline.before ? index : index - this.#inline.count
  }
}
