/** Bytes of a file, valid until more are read. */
export interface PeekedBytes {
  readonly bytes: Buffer
  readonly start: number
  readonly end: number
}

/** Reads elements of an array from up to `wholeObject` bytes, as many as are there, without waiting in between. */
export interface ElementScan {
  /** Called before each element. @returns undefined if there is room */
  makeRoom(): Promise<void> | undefined
  /** @returns the position after the element, `odd` or `short` */
  read(bytes: Buffer, start: number, end: number, index: number): number
}

/** The part of a file that is being read: bytes from `cursor` to `end`, and more on demand. */
export class ByteWindow {
  /** Grows with what is read: a load opens thousands of small files. */
  bytes: Buffer = Buffer.alloc(0)
  cursor = 0
  end = 0
  /** Where the window begins in the file. */
  offset = 0
  readonly #chunks: AsyncIterator<Buffer>
  #ended = false
  /** An error that came while more bytes were fetched than were asked for. */
  #failure: { readonly error: unknown } | undefined

  constructor(chunks: AsyncIterator<Buffer>) {
    this.#chunks = chunks
  }

  /** Brings more bytes into the window; false at the end of the file. Positions in the window change. */
  async fill(): Promise<boolean> {
    if (this.#failure !== undefined) throw this.#failure.error
    const { value, done = false } = this.#ended ? { done: true } : await this.#chunks.next()
    this.#ended = done
    if (done) return false
    this.#makeRoom(value.length)
    value.copy(this.bytes, this.end)
    this.end += value.length
    if (this.offset === 0 && this.cursor === 0 && this.end >= 3) this.#skipByteOrderMark()
    return true
  }

  /** Whether fewer bytes are in the window, and more may come. */
  lacks(count: number): boolean {
    return this.end - this.cursor < count && !this.#ended && this.#failure === undefined
  }

  /** Brings bytes into the window until there are this many, or the file ends. An error is thrown by the next `fill`. */
  async prefetch(count: number): Promise<void> {
    try {
      while (this.end - this.cursor < count && this.#failure === undefined && (await this.fill()));
    } catch (error) {
      this.#failure = { error }
    }
  }

  #makeRoom(length: number): void {
    const kept = this.end - this.cursor
    if (this.end + length <= this.bytes.length) return
    const target = kept + length <= this.bytes.length ? this.bytes : Buffer.alloc((kept + length) * 2)
    this.bytes.copy(target, 0, this.cursor, this.end)
    this.bytes = target
    this.offset += this.cursor
    this.cursor = 0
    this.end = kept
  }

  #skipByteOrderMark(): void {
    if (this.bytes[0] === 0xef && this.bytes[1] === 0xbb && this.bytes[2] === 0xbf) this.cursor = 3
  }
}
