import type { CompressionCodec, PageHeader } from 'hyparquet'
import { parquetHeader } from 'hyparquet/src/column.js'
import { decompressStart } from './snappy-start.ts'

/** Where bytes of a file come from. */
export interface Bytes {
  slice(start: number, end: number): Promise<ArrayBuffer>
}

/** Bytes of a page to fetch first; doubled until they are enough. */
const firstBytes = 32_768

/** A page of a column of which only the start has been fetched. */
export class PageStart {
  readonly header: PageHeader
  /** Where the next page begins. */
  readonly end: number
  readonly #file: Bytes
  readonly #codec: CompressionCodec
  #body: Uint8Array<ArrayBuffer>

  private constructor(
    file: Bytes,
    codec: CompressionCodec,
    header: PageHeader,
    body: Uint8Array<ArrayBuffer>,
    end: number,
  ) {
    this.#file = file
    this.#codec = codec
    this.header = header
    this.#body = body
    this.end = end
  }

  /** @param columnEnd where the column of the page ends, in bytes */
  static async open(file: Bytes, codec: CompressionCodec, start: number, columnEnd: number): Promise<PageStart> {
    for (let size = firstBytes; ; size *= 2) {
      const bytes = await file.slice(start, Math.min(start + size, columnEnd))
      const reader = { view: new DataView(bytes), offset: 0 }
      let header: PageHeader
      try {
        header = parquetHeader(reader)
      } catch (error) {
        // Statistics in a header may be longer than what was fetched.
        if (start + size >= columnEnd) throw error
        continue
      }
      const end = start + reader.offset + header.compressed_page_size
      if (!(header.compressed_page_size >= 0 && end <= columnEnd))
        throw new RangeError(`a page that ends at byte ${end}`)
      return new PageStart(
        file,
        codec,
        header,
        new Uint8Array(bytes, reader.offset).slice(0, header.compressed_page_size),
        end,
      )
    }
  }

  /** Fetches more until `read` has what it needs: it throws as long as the decompressed bytes end too early. */
  async read<Value>(read: (bytes: Uint8Array<ArrayBuffer>) => Value): Promise<Value> {
    for (;;) {
      try {
        return read(this.#decompress())
      } catch (error) {
        if (this.#isWhole) throw error
        await this.#fetch(this.#body.length * 2)
      }
    }
  }

  /** Fetches all that is missing, for a reader that needs all of it. */
  async readWhole(): Promise<void> {
    if (!this.#isWhole) await this.#fetch(this.header.compressed_page_size)
  }

  get #isWhole(): boolean {
    return this.#body.length === this.header.compressed_page_size
  }

  /** In version 2, levels are before what is compressed. */
  #decompress(): Uint8Array<ArrayBuffer> {
    const { data_page_header_v2: second } = this.header
    if (this.#codec === 'UNCOMPRESSED' || second?.is_compressed === false) return this.#body
    if (this.#codec !== 'SNAPPY') throw new TypeError(`files compressed with ${this.#codec} cannot be shown`)
    if (second === undefined) return decompressStart(this.#body)
    const levels = second.repetition_levels_byte_length + second.definition_levels_byte_length
    const values = decompressStart(this.#body.subarray(levels))
    const all = new Uint8Array(levels + values.length)
    all.set(this.#body.subarray(0, levels))
    all.set(values, levels)
    return all
  }

  async #fetch(wanted: number): Promise<void> {
    const size = Math.min(Math.max(wanted, firstBytes), this.header.compressed_page_size)
    const start = this.end - this.header.compressed_page_size
    const more = await this.#file.slice(start + this.#body.length, start + size)
    const body = new Uint8Array(size)
    body.set(this.#body)
    body.set(new Uint8Array(more), this.#body.length)
    this.#body = body
  }
}
