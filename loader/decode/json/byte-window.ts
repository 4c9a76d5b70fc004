/** Bytes of a file, valid until more are read. */
export interface PeekedBytes {
  readonly bytes: Buffer
  readonly start: number
  readonly end: number
}

/**
 * Reads elements of an array from the bytes in the window, up to `wholeObject` for each, without waiting between them.
 */
export interface ElementScan {
  /** Called before each element. @returns undefined if there is room */
  makeRoom(): Promise<void> | undefined
  /** @returns the position after the element, `odd` or `short` */
  read(bytes: Buffer, start: number, end: number, index: number): number
}

/** A window on the file that is being read: the bytes from `cursor` to `end`, and more on demand. */
export class ByteWindow {
  /** Starts empty and grows with the values, because a load may open thousands of small files. */
  bytes: Buffer = Buffer.alloc(0)
  cursor = 0
  end = 0
  /** Position of the window's first byte in the file. */
  offset = 0
  readonly #chunks: AsyncIterator<Buffer>
  #ended = false
  /** An error that `prefetch` met; the next `fill` throws it. */
  #failure: { readonly error: unknown } | undefined

  constructor(chunks: AsyncIterator<Buffer>) {
    this.#chunks = chunks
  }

  /** Brings more bytes into the window; returns false at the end of the file. Positions in the window change. */
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

  /** True if the window has fewer bytes than this, and more may come. */
  lacks(count: number): boolean {
    return this.end - this.cursor < count && !this.#ended && this.#failure === undefined
  }

  /** Brings bytes into the window until it has this many or the file ends. The next `fill` throws an error met here. */
  async prefetch(count: number): Promise<void> {
    try {
      while (this.end - this.cursor < count && this.#failure === undefined && (await this.fill()));
    } catch (error) {
      this.#failure = { error }
    }
  }

  #makeRoom(length: number): void {
    const unread = this.end - this.cursor
    if (this.end + length <= this.bytes.length) return
    const target = unread + length <= this.bytes.length ? this.bytes : Buffer.alloc((unread + length) * 2)
    this.bytes.copy(target, 0, this.cursor, this.end)
    this.bytes = target
    this.offset += this.cursor
    this.cursor = 0
    this.end = unread
  }

  #skipByteOrderMark(): void {
    if (this.bytes[0] === 0xef && this.bytes[1] === 0xbb && this.bytes[2] === 0xbf) this.cursor = 3
  }
}
