import { AwsRefusal } from '../aws-refusal.ts'

/** Maximum length of a line between chunks: a size, a signature of 64 characters, or a trailer. */
const maxLineBytes = 16 * 1024

/**
 * Decodes an `aws-chunked` body; bytes between frames pass through unchanged. Chunk signatures are not verified.
 * Source: Amazon S3 API Reference, "Signature calculations for the Authorization header: transferring payload in
 * multiple chunks".
 *
 * @param onTrailer receives each trailer after the last chunk, with its name in lower case
 * @throws AwsRefusal IncompleteBody if the body ends early, InvalidRequest if its framing is malformed
 */
export async function* decodeAwsChunked(
  source: AsyncIterable<Buffer>,
  onTrailer: (name: string, value: string) => void,
): AsyncGenerator<Buffer> {
  const bytes = new ByteReader(source)
  try {
    for (let size = await readSize(bytes); size > 0; size = await readSize(bytes)) {
      yield* bytes.take(size)
      if ((await bytes.line()) !== '') throw malformed()
    }
    for (let line = await bytes.line(); line; line = await bytes.line()) {
      const [name = '', ...value] = line.split(':')
      onTrailer(name.trim().toLowerCase(), value.join(':').trim())
    }
  } finally {
    await bytes.close()
  }
}

async function readSize(bytes: ByteReader): Promise<number> {
  const line = await bytes.line()
  if (line === undefined) throw incomplete()
  const size = /^([0-9a-f]{1,12})(?:;.*)?$/i.exec(line)?.[1]
  if (size === undefined) throw malformed()
  return Number.parseInt(size, 16)
}

/** Reads lines and counted bytes from input in pieces of any length. */
class ByteReader {
  readonly #pieces: AsyncIterator<Buffer>
  #pending: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Buffer>) {
    this.#pieces = source[Symbol.asyncIterator]()
  }

  /** The next line without its line end; the rest of the input if it has no line end; undefined if nothing is left. */
  async line(): Promise<string | undefined> {
    for (let end = this.#pending.indexOf('\n'); ; end = this.#pending.indexOf('\n')) {
      if (end !== -1)
        return this.#cut(end + 1)
          .toString('latin1')
          .trimEnd()
      if (this.#pending.length > maxLineBytes) throw malformed()
      const piece = await this.#next()
      if (piece === undefined) break
      this.#pending = Buffer.concat([this.#pending, piece])
    }
    return this.#pending.length === 0 ? undefined : this.#cut(this.#pending.length).toString('latin1').trimEnd()
  }

  /** The next `size` bytes, in pieces. */
  async *take(size: number): AsyncGenerator<Buffer> {
    for (let missing = size; missing > 0; ) {
      if (this.#pending.length === 0) this.#pending = (await this.#next()) ?? fail(incomplete())
      const piece = this.#cut(Math.min(missing, this.#pending.length))
      missing -= piece.length
      yield piece
    }
  }

  /** Releases the source: a request can only be drained when nothing else reads it. */
  async close(): Promise<void> {
    await this.#pieces.return?.()
  }

  #cut(length: number): Buffer {
    const piece = this.#pending.subarray(0, length)
    this.#pending = this.#pending.subarray(length)
    return piece
  }

  async #next(): Promise<Buffer | undefined> {
    const { done, value } = await this.#pieces.next()
    return done ? undefined : value
  }
}

function fail(refusal: AwsRefusal): never {
  throw refusal
}

function incomplete(): AwsRefusal {
  return new AwsRefusal(
    400,
    'IncompleteBody',
    'You did not provide the number of bytes specified by the Content-Length HTTP header.',
  )
}

function malformed(): AwsRefusal {
  return new AwsRefusal(400, 'InvalidRequest', 'The body is not well-formed aws-chunked data.')
}
