import type { CompressionCodec, PageHeader } from 'hyparquet'
import { decodeHeader } from './hyparquet-modules.ts'
import { decompressStart } from './snappy-start.ts'

/** A source of a file's bytes. */
export interface ByteSource {
  /** Reads the bytes from `start` to before `end`. */
  slice(start: number, end: number): Promise<ArrayBuffer>
}

/** Pages that follow one another in a file. */
export interface PageSpan {
  readonly source: ByteSource
  readonly codec: CompressionCodec
  /** In bytes; the pages are from `start` to before `end`. */
  readonly start: number
  readonly end: number
  /** True if bytes come over a network: a page is then read only as far as its values are needed. */
  readonly isRemote: boolean
  /** Decompresses whole pages of other codecs than Snappy. @default - none: only files of results are read */
  readonly decompressors?: Decompressors | undefined
}

/** Functions that decompress bytes by codec. They refuse bytes that do not become as many as expected. */
export type Decompressors = Readonly<
  Partial<Record<CompressionCodec, (bytes: Uint8Array, expected: number) => Uint8Array>>
>

/** Bytes to read of a page at first. If they are not enough, four times as many are read, and so on. */
const firstBytes = 32_768

/** Maximum number of bytes of a header, whose statistics are texts of the column. */
const maxHeaderBytes = 524_288

/** Maximum number of bytes of a decompressed page; DuckDB stops at 100,000,000, others at a megabyte. */
const maxPageBytes = 134_217_728

/** The file has a compression that results do not use. */
export class UnknownCodec extends TypeError {
  readonly codec: string

  constructor(codec: string) {
    super(`it is compressed with ${codec}; files of a result are compressed with SNAPPY`)
    this.codec = codec
  }
}

/** A page of a column chunk, read further whenever its bytes do not suffice. */
export class Page {
  readonly header: PageHeader
  /** Position of the next page, in bytes. */
  readonly end: number
  readonly #span: PageSpan
  readonly #start: number
  readonly #headerLength: number
  /** Number of bytes that were read, the header included. */
  #size: number
  /** The bytes as they were read; the first decoding replaces them by decompressed ones. */
  #bytes: { readonly isPlain: boolean; readonly bytes: Uint8Array<ArrayBuffer> }

  private constructor(span: PageSpan, start: number, bytes: Uint8Array<ArrayBuffer>, decoded: DecodedHeader) {
    const { header, length } = decoded
    this.header = header
    this.end = start + length + header.compressed_page_size
    this.#span = span
    this.#start = start
    this.#headerLength = length
    this.#size = bytes.length
    this.#bytes = { isPlain: false, bytes }
  }

  /**
   * Opens the page at a place.
   *
   * @throws UnknownCodec, or RangeError if the page does not end within the column or is too large
   */
  static async open(span: PageSpan, start: number): Promise<Page> {
    const readsStarts = span.codec === 'SNAPPY' || span.codec === 'UNCOMPRESSED'
    if (!readsStarts && span.decompressors?.[span.codec] === undefined) throw new UnknownCodec(span.codec)
    for (let size = firstBytes; ; size *= 4) {
      const end = Math.min(start + size, span.end)
      const bytes = new Uint8Array(await span.source.slice(start, end))
      const decoded = tryDecodeHeader(bytes, end === span.end || size >= maxHeaderBytes)
      if (decoded === undefined) continue
      const { compressed_page_size: compressed, uncompressed_page_size: plain } = decoded.header
      const pageEnd = start + decoded.length + compressed
      if (!(compressed >= 0 && pageEnd <= span.end)) throw new RangeError(`a page that ends at byte ${pageEnd}`)
      if (!(plain >= 0 && Math.max(plain, compressed) <= maxPageBytes))
        throw new RangeError(`a page of ${Math.max(plain, compressed)} bytes`)
      const isMissing = !(span.isRemote && readsStarts) && end < pageEnd
      return new Page(span, start, isMissing ? await readPage(span, start, pageEnd) : bytes, decoded)
    }
  }

  /**
   * Decodes the page, again with more of it as long as decoding fails for want of bytes.
   *
   * @param decode takes the decompressed bytes, levels first
   * @throws the error that `decode` throws for the whole page
   */
  async decode<Value>(decode: (bytes: Uint8Array<ArrayBuffer>) => Value): Promise<Value> {
    for (;;)
      try {
        if (!this.#bytes.isPlain) this.#bytes = { isPlain: true, bytes: this.#decompress(this.#bytes.bytes) }
        return decode(this.#bytes.bytes)
      } catch (error) {
        if (this.#start + this.#size >= this.end) throw error
        this.#size *= 4
        const bytes = await readPage(this.#span, this.#start, this.#start + this.#size)
        this.#bytes = { isPlain: false, bytes }
      }
  }

  /**
   * Decompresses the bytes of the page that were read. In version 2, the levels before the values are not compressed.
   */
  #decompress(bytesOfPage: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    const { codec, decompressors } = this.#span
    const { header } = this
    const { data_page_header_v2: second, uncompressed_page_size: plain } = header
    const body = bytesOfPage.slice(this.#headerLength, this.#headerLength + header.compressed_page_size)
    const isWhole = body.length === header.compressed_page_size
    const isCompressed = codec !== 'UNCOMPRESSED' && second?.is_compressed !== false
    const levels = second ? second.repetition_levels_byte_length + second.definition_levels_byte_length : 0
    if (!(levels >= 0 && levels <= plain)) throw new RangeError(`levels of ${levels} bytes in a page of ${plain}`)
    const decompress = decompressors?.[codec] ?? decompressStart
    const values = isCompressed ? decompress(body.subarray(levels), plain - levels) : body.subarray(levels)
    const bytes = new Uint8Array(Math.min(levels, body.length) + values.length)
    bytes.set(body.subarray(0, levels))
    bytes.set(values, bytes.length - values.length)
    if (isWhole && bytes.length !== plain) throw new RangeError(`a page of ${bytes.length} bytes, not ${plain}`)
    return bytes
  }
}

type DecodedHeader = ReturnType<typeof decodeHeader>

/** Returns the header; undefined if more bytes may complete it. */
function tryDecodeHeader(bytes: Uint8Array, isAll: boolean): DecodedHeader | undefined {
  try {
    return decodeHeader(bytes)
  } catch (error) {
    if (isAll) throw error
    return undefined
  }
}

async function readPage({ source, end: last }: PageSpan, start: number, end: number) {
  return new Uint8Array(await source.slice(start, Math.min(end, last)))
}

/** Opens pages one after another. */
export async function* openPages(span: PageSpan): AsyncGenerator<Page> {
  for (let start = span.start; start < span.end; ) {
    const page = await Page.open(span, start)
    yield page
    start = page.end
  }
}
