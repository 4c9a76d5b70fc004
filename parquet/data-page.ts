import type { DataReader, DecodedArray, PageHeader } from 'hyparquet'
import type { ColumnType } from './column-type.ts'
import { decodePlain } from './hyparquet-modules.ts'
import type { Page } from './page.ts'
import { RunReader } from './run-reader.ts'

/** Maximum number of values of a page; writers stop at 60,000 to some hundred thousand. */
const maxPageValues = 20_000_000

/** Entries of a page: a value, a null or an empty list each. */
export interface Entries {
  /** Repetition levels of lists: 0 where a row begins. */
  readonly repetition: Int32Array | undefined
  /** Undefined if no value can be null. */
  readonly definition: Int32Array | undefined
  /** The values that are not null, or their places in the dictionary. */
  readonly stored: { readonly plain: DecodedArray } | { readonly places: Int32Array }
}

/** A page of values, read in blocks of entries. */
export class DataPage {
  readonly #page: Page
  readonly #type: ColumnType
  readonly #header: DataHeader
  /** Number of entries of the page. */
  readonly count: number
  #position = 0
  #reader: EntryReader | undefined

  /** @throws RangeError or TypeError if it cannot be read */
  constructor(page: Page, type: ColumnType, maxValues = maxPageValues) {
    const header = page.header.data_page_header_v2 ?? page.header.data_page_header
    if (header === undefined) throw new TypeError(`a ${page.header.type} in a column`)
    const { num_values: count, encoding } = header
    if (!(count >= 0 && count <= Math.min(maxPageValues, maxValues))) throw new RangeError(`a page of ${count} values`)
    if (encoding !== 'PLAIN' && !isDictionaryEncoded(page)) throw new TypeError(`it has values encoded as ${encoding}`)
    this.#page = page
    this.#type = type
    this.#header = header
    this.count = count
  }

  get left(): number {
    return this.count - this.#position
  }

  /**
   * Reads the next entries.
   *
   * @throws RangeError if the page does not hold them, or has bytes after the last one
   */
  async take(count: number): Promise<Entries> {
    const entries = await this.#page.decode((bytes) => {
      if (this.#reader?.bytes !== bytes) {
        this.#reader = new EntryReader(bytes, this.#header, this.#type)
        if (this.#position > 0) this.#reader.take(this.#position)
      }
      return this.#reader.take(count)
    })
    this.#position += count
    if (this.left === 0) this.#reader?.close()
    return entries
  }
}

/** Returns true if a page has places in the dictionary instead of values. */
export function isDictionaryEncoded({ header }: Page): boolean {
  const { encoding } = header.data_page_header_v2 ?? header.data_page_header ?? {}
  return encoding?.endsWith('_DICTIONARY') ?? false
}

type DataHeader = NonNullable<PageHeader['data_page_header'] | PageHeader['data_page_header_v2']>

/**
 * Reads entries from the bytes of a page: runs of levels, whose lengths are in the header of version 2 and before them
 * in version 1, then the values that are not null.
 */
class EntryReader {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly #type: ColumnType
  readonly #repetition: RunReader | undefined
  readonly #definition: RunReader | undefined
  readonly #places: RunReader | undefined
  readonly #plain: DataReader

  constructor(bytes: Uint8Array<ArrayBuffer>, header: DataHeader, type: ColumnType) {
    this.bytes = bytes
    this.#type = type
    const reader = { view: new DataView(bytes.buffer), offset: 0 }
    const readLevels = (max: number, length: number | undefined) => {
      if (max === 0) return undefined
      const size = length ?? reader.view.getUint32(reader.offset, true)
      const start = reader.offset + (length === undefined ? 4 : 0)
      reader.offset = start + size
      return new RunReader(bytes, [start, reader.offset], 32 - Math.clz32(max), header.num_values)
    }
    const [repetition, definition] =
      'num_nulls' in header ? [header.repetition_levels_byte_length, header.definition_levels_byte_length] : []
    this.#repetition = readLevels(type.isList ? 1 : 0, repetition)
    this.#definition = readLevels(type.maxDefinition, definition)
    if (header.encoding !== 'PLAIN') {
      // A page of nulls alone may end before the width.
      const width = reader.offset < bytes.length ? reader.view.getUint8(reader.offset++) : undefined
      const span = [reader.offset, bytes.length] as const
      this.#places = new RunReader(bytes, span, width ?? 1, header.num_values)
    }
    this.#plain = reader
  }

  take(count: number): Entries {
    const repetition = this.#repetition?.take(count)
    const definition = this.#definition?.take(count)
    const { stored, width, maxDefinition } = this.#type
    if (definition?.some((level) => level > maxDefinition))
      throw new RangeError('a level that the column does not have')
    const present = definition?.reduce((sum, level) => (level === maxDefinition ? sum + 1 : sum), 0) ?? count
    return {
      repetition,
      definition,
      stored:
        this.#places === undefined
          ? { plain: decodePlain(this.#plain, stored, present, width) }
          : { places: this.#places.take(present) },
    }
  }

  /**
   * Ends reading after the last entry.
   *
   * @throws RangeError if plain values are left
   */
  close(): void {
    const { view, offset } = this.#plain
    if (this.#places === undefined && offset !== view.byteLength)
      throw new RangeError(`a page with ${view.byteLength - offset} bytes after its values`)
  }
}
