import type { ColumnType } from './column-type.ts'
import { decodePlain } from './hyparquet-modules.ts'
import type { Page } from './page.ts'

/** The terms to which the pages of a column chunk refer, decoded up to the last one in use. */
export class Dictionary {
  /** Number of its terms. */
  readonly count: number
  readonly #page: Page
  readonly #type: ColumnType
  #terms: ArrayLike<unknown> = []

  /** @throws RangeError if its page cannot hold its terms */
  constructor(page: Page, type: ColumnType) {
    const { num_values: count = -1 } = page.header.dictionary_page_header ?? {}
    const { uncompressed_page_size: size } = page.header
    // A text has at least its length.
    const least = count * (type.width ?? 4)
    if (!(count >= 0 && least <= size) || (type.width !== undefined && least !== size))
      throw new RangeError(`a dictionary of ${count} terms in ${size} bytes`)
    this.count = count
    this.#page = page
    this.#type = type
  }

  /**
   * Decodes the first terms. Writers add a value when they first meet it, so the first rows refer to the first terms.
   *
   * @returns at least `count` terms
   * @throws RangeError if the dictionary has fewer
   */
  async take(count: number): Promise<ArrayLike<unknown>> {
    if (count > this.count) throw new RangeError(`term ${count} of a dictionary of ${this.count}`)
    if (count > this.#terms.length) {
      // Twice as many as before, so that the terms are not all decoded again for each page.
      const size = Math.min(this.count, Math.max(count, 2 * this.#terms.length))
      const { stored, width, convert } = this.#type
      this.#terms = await this.#page.decode((bytes) =>
        convert(decodePlain({ view: new DataView(bytes.buffer), offset: 0 }, stored, size, width)),
      )
    }
    return this.#terms
  }
}
