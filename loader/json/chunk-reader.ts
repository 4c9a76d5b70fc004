/** Takes bytes by number out of a stream of chunks. */
export class ChunkReader {
  /** The error of a stream that ends before what was asked for. */
  readonly cutShort: () => Error
  readonly #chunks: AsyncIterator<Buffer>
  #pending: Buffer = Buffer.alloc(0)

  constructor(chunks: AsyncIterator<Buffer>, cutShort: () => Error) {
    this.#chunks = chunks
    this.cutShort = cutShort
  }

  /** The next bytes, at least one and at most so many. */
  async next(most: number): Promise<Buffer> {
    const piece = await this.#nextOrNone(most)
    if (piece === undefined) throw this.cutShort()
    return piece
  }

  /** So many bytes. */
  async take(count: number): Promise<Buffer> {
    const bytes = await this.takeUpTo(count)
    if (bytes.length < count) throw this.cutShort()
    return bytes
  }

  /** So many bytes, or fewer where the stream ends before. */
  async takeUpTo(count: number): Promise<Buffer> {
    const pieces: Buffer[] = []
    for (let missing = count; missing > 0; ) {
      const piece = await this.#nextOrNone(missing)
      if (piece === undefined) break
      missing -= piece.length
      pieces.push(piece)
    }
    return Buffer.concat(pieces)
  }

  /** So many bytes, piece by piece. */
  async *pass(count: number): AsyncGenerator<Buffer> {
    for (let missing = count; missing > 0; ) {
      const piece = await this.next(missing)
      missing -= piece.length
      yield piece
    }
  }

  /** Gives back the end of the piece that was taken last. */
  putBack(bytes: Buffer): void {
    this.#pending = this.#pending.length === 0 ? bytes : Buffer.concat([bytes, this.#pending])
  }

  async #nextOrNone(most: number): Promise<Buffer | undefined> {
    while (this.#pending.length === 0) {
      const { value, done } = await this.#chunks.next()
      if (done) return undefined
      this.#pending = value
    }
    const piece = this.#pending.subarray(0, most)
    this.#pending = this.#pending.subarray(piece.length)
    return piece
  }
}
