/** Reads given numbers of bytes from a stream of chunks. */
export class ChunkReader {
  /** Creates the error to throw if the stream ends early. */
  readonly cutShort: () => Error
  readonly #chunks: AsyncIterator<Buffer>
  /** What comes before the next chunk, the last first. */
  readonly #pending: Buffer[] = []

  constructor(chunks: AsyncIterator<Buffer>, cutShort: () => Error) {
    this.#chunks = chunks
    this.cutShort = cutShort
  }

  /** Reads between 1 and `max` bytes. */
  async next(max: number): Promise<Buffer> {
    const chunk = await this.#nextOrNone(max)
    if (chunk === undefined) throw this.cutShort()
    return chunk
  }

  /** Reads `count` bytes. */
  async take(count: number): Promise<Buffer> {
    const bytes = await this.takeUpTo(count)
    if (bytes.length < count) throw this.cutShort()
    return bytes
  }

  /** Reads `count` bytes, or fewer if the stream ends first. */
  async takeUpTo(count: number): Promise<Buffer> {
    const chunks: Buffer[] = []
    for (let missing = count; missing > 0; ) {
      const chunk = await this.#nextOrNone(missing)
      if (chunk === undefined) break
      missing -= chunk.length
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  }

  /** Reads `count` bytes, chunk by chunk. */
  async *pass(count: number): AsyncGenerator<Buffer> {
    for (let missing = count; missing > 0; ) {
      const chunk = await this.next(missing)
      missing -= chunk.length
      yield chunk
    }
  }

  /** Returns the end of the last chunk to the reader. */
  putBack(bytes: Buffer): void {
    this.#pending.push(bytes)
  }

  async #nextOrNone(max: number): Promise<Buffer | undefined> {
    for (;;) {
      const chunk = this.#pending.pop()
      if (chunk === undefined) {
        const { value, done } = await this.#chunks.next()
        if (done) return undefined
        this.#pending.push(value)
      } else if (chunk.length > 0) {
        if (chunk.length > max) this.#pending.push(chunk.subarray(max))
        return chunk.subarray(0, max)
      }
    }
  }
}
