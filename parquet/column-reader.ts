import type { ColumnType } from './column-type.ts'
import { DataPage, type Entries } from './data-page.ts'
import { Dictionary } from './dictionary.ts'
import { openPages, type Page, type PageSpan } from './page.ts'
import type { ValueBudget } from './value-budget.ts'

/** The values of a column in a row group. */
export interface ColumnChunk extends PageSpan {
  readonly name: string
  /**
   * Describes the type.
   *
   * @throws TypeError if its values cannot be read
   */
  readonly describeType: () => ColumnType
  readonly rows: number
  /** Number of values in its pages, nulls and empty lists included. */
  readonly values: number
  /** No value is less or greater than these. @default - not stated, because all are null or the writer left them out */
  readonly bounds?: { readonly least: unknown; readonly greatest: unknown } | undefined
}

/** Least number of entries of lists to read at once. */
const minEntries = 1024

/**
 * Reads the values of a column chunk in order, in blocks of rows. It holds one page, the terms of the dictionary that
 * were used, and the rows of one block. Levels and values are stored in order, Snappy can be decompressed from its
 * start, and writers add a value to a dictionary when they first meet it, so the first rows need only the start of the
 * column. Source: Apache Parquet, "Data Pages" and "Encodings".
 */
export class ColumnReader {
  readonly #chunk: ColumnChunk
  readonly #type: ColumnType
  readonly #pages: AsyncGenerator<Page>
  #dictionary: Dictionary | undefined
  #page: DataPage | undefined
  /** Values of pages that were not opened yet. */
  #unopened: number
  #rowsLeft: number
  /** Lists that were read and not taken yet; the next entries may continue the last one. */
  #lists: (unknown[] | null)[] = []

  /** @throws TypeError if values of the type cannot be read */
  constructor(chunk: ColumnChunk) {
    this.#chunk = chunk
    this.#type = chunk.describeType()
    this.#pages = openPages(chunk)
    this.#unopened = chunk.values
    this.#rowsLeft = chunk.rows
  }

  /**
   * Reads the next rows.
   *
   * @param budget pays for each value, null and empty list that is read
   * @returns the value, the list or null of each row
   * @throws RangeError or TypeError if the column is damaged, too large or encoded in another way
   */
  async take(count: number, budget: ValueBudget): Promise<readonly unknown[]> {
    if (count > this.#rowsLeft) throw new RangeError(`${this.#chunk.name} has ${this.#rowsLeft} rows, not ${count}`)
    const rows = this.#type.isList ? await this.#takeLists(count, budget) : await this.#takeValues(count, budget)
    this.#rowsLeft -= count
    if (this.#rowsLeft === 0 && (this.#lists.length > 0 || this.#valuesLeft > 0))
      throw new RangeError(`${this.#chunk.name} has more rows than its row group`)
    return rows
  }

  get #valuesLeft(): number {
    return this.#unopened + (this.#page?.left ?? 0)
  }

  async #takeValues(count: number, budget: ValueBudget): Promise<readonly unknown[]> {
    const rows: unknown[] = []
    while (rows.length < count) {
      const { definition, values } = await this.#takeEntries(count - rows.length, budget)
      const { maxDefinition } = this.#type
      let place = 0
      if (definition === undefined) for (let index = 0; index < values.length; index++) rows.push(values[index])
      else for (const level of definition) rows.push(level === maxDefinition ? values[place++] : null)
    }
    return rows
  }

  async #takeLists(count: number, budget: ValueBudget): Promise<readonly unknown[]> {
    // A row is complete once the next one begins.
    while (this.#lists.length <= count && this.#valuesLeft > 0)
      this.#addLists(await this.#takeEntries(Math.max(minEntries, count + 1 - this.#lists.length), budget))
    if (this.#lists.length < count) throw new RangeError(`${this.#chunk.name} has too few rows`)
    return this.#lists.splice(0, count)
  }

  /** Adds entries to the rows: each begins a row, or continues the list of the last one. */
  #addLists({ repetition, definition, values }: ConvertedEntries): void {
    const { maxDefinition, elementDefinition } = this.#type
    let place = 0
    for (const [index, level] of (definition ?? []).entries()) {
      const isNext = repetition?.[index] === 0
      const list = isNext ? beginList(level, elementDefinition) : this.#lists.at(-1)
      if (list === undefined || (!isNext && (list === null || level < elementDefinition)))
        throw new RangeError(`${this.#chunk.name} continues a list that has not begun`)
      if (isNext) this.#lists.push(list)
      if (level >= elementDefinition) list?.push(level === maxDefinition ? values[place++] : null)
    }
  }

  /** Reads up to `count` entries of a page. */
  async #takeEntries(count: number, budget: ValueBudget): Promise<ConvertedEntries> {
    const page = await this.#openPage()
    const size = Math.min(count, page.left)
    budget.spend(size)
    const { repetition, definition, stored } = await page.take(size)
    const values = 'plain' in stored ? this.#type.convert(stored.plain) : await this.#findTerms(stored.places)
    return { repetition, definition, values }
  }

  async #findTerms(places: Int32Array): Promise<ArrayLike<unknown>> {
    if (places.length === 0) return []
    if (this.#dictionary === undefined) throw new TypeError(`${this.#chunk.name} refers to a missing dictionary`)
    const last = places.reduce((highest, place) => Math.max(highest, place))
    const terms = await this.#dictionary.take(last + 1)
    return Array.from(places, (place) => terms[place])
  }

  /** Opens the page that has the next entry. */
  async #openPage(): Promise<DataPage> {
    while (this.#page === undefined || this.#page.left === 0) {
      const { value: page } = await this.#pages.next()
      if (page === undefined) throw new RangeError(`${this.#chunk.name} has too few rows`)
      if (page.header.type !== 'DICTIONARY_PAGE') {
        this.#page = new DataPage(page, this.#type, this.#unopened)
        this.#unopened -= this.#page.count
      } else if (this.#dictionary === undefined) this.#dictionary = new Dictionary(page, this.#type)
      else throw new RangeError(`${this.#chunk.name} has two dictionaries`)
    }
    return this.#page
  }
}

/** Returns a list without elements yet, or null where its level says that there is none. */
const beginList = (level: number, elementDefinition: number): unknown[] | null =>
  level < elementDefinition - 1 ? null : []

/** Entries with converted values; places in the dictionary are replaced by its terms. */
interface ConvertedEntries extends Omit<Entries, 'stored'> {
  readonly values: ArrayLike<unknown>
}
