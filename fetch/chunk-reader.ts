/** A stream ended before the requested number of bytes. */
export class EndsEarly extends Error {}

/** Reads a stream of chunks by numbers of bytes. */
export class ChunkReader {
  readonly #chunks: AsyncGenerator<Buffer>
  /** Bytes that come before the next chunk of the stream, the last ones first. */
  readonly #pending: Buffer[] = []

  constructor(chunks: AsyncGenerator<Buffer>) {
    this.#chunks = chunks
  }

  /** Reads between 1 and `max` bytes; none at the end of the stream. */
  async next(max: number): Promise<Buffer> {
    for (;;) {
      const chunk: Buffer | undefined = this.#pending.pop() ?? (await this.#chunks.next()).value
      if (chunk === undefined) return Buffer.alloc(0)
      if (chunk.length > max) this.#pending.push(chunk.subarray(max))
      if (chunk.length > 0) return chunk.subarray(0, max)
    }
  }

  /**
   * Reads `count` bytes.
   *
   * @throws EndsEarly
   */
  async take(count: number): Promise<Buffer> {
    const bytes = await this.takeUpTo(count)
    if (bytes.length < count) throw new EndsEarly()
    return bytes
  }

  /** Reads `count` bytes, or fewer if the stream ends first. */
  async takeUpTo(count: number): Promise<Buffer> {
    const chunks: Buffer[] = []
    for (let missing = count; missing > 0; ) {
      const chunk = await this.next(missing)
      if (chunk.length === 0) break
      missing -= chunk.length
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  }

  /** Looks at the next `count` bytes, or fewer if the stream ends first. */
  async peek(count: number): Promise<Buffer> {
    const bytes = await this.takeUpTo(count)
    this.putBack(bytes)
    return bytes
  }

  /** Looks at the next `count` bytes and those that arrived with them, without waiting for more. */
  async peekChunk(count: number): Promise<Buffer> {
    const bytes = await this.takeUpTo(count)
    const chunk = Buffer.concat([bytes, this.#pending.pop() ?? Buffer.alloc(0)])
    this.putBack(chunk)
    return chunk
  }

  /**
   * Reads `count` bytes, chunk by chunk.
   *
   * @throws EndsEarly
   */
  async *pass(count: number): AsyncGenerator<Buffer> {
    for (let missing = count; missing > 0; ) {
      const chunk = await this.next(missing)
      if (chunk.length === 0) throw new EndsEarly()
      missing -= chunk.length
      yield chunk
    }
  }

  /** Reads up to the end of the stream, chunk by chunk. */
  async *rest(): AsyncGenerator<Buffer> {
    yield* this.#pending.splice(0).reverse()
    yield* this.#chunks
  }

  /** Returns the end of the last chunk to the reader. */
  putBack(bytes: Buffer): void {
    this.#pending.push(bytes)
  }
}
