import { createHash, type Hash } from 'node:crypto'
import { LoadRefused } from '../load-refused.ts'
import { ChangedWhileRead } from './changed-while-read.ts'
import type { FileRequests } from './file-requests.ts'
import type { HttpAnswer } from './http-client.ts'
import { continues, type RemoteFacts, readFacts } from './remote-facts.ts'

/**
 * The bytes of a remote file. A cut body is continued by a range if the server proves by a strong entity tag that the
 * file is the same. Otherwise the file is fetched again, and the bytes read before must be its beginning, so that bytes
 * of two files are never joined.
 */
export class RemoteBody implements AsyncDisposable {
  /** Facts of the file that the bytes come from; final once all bytes are read. */
  facts: RemoteFacts
  /**
   * The file's bytes, which can be read once.
   *
   * @throws LoadRefused if the file cannot be fetched
   * @throws ChangedWhileRead
   */
  readonly chunks: AsyncGenerator<Buffer>
  readonly #requests: FileRequests
  readonly #hash: Hash = createHash('sha256')
  #answer: HttpAnswer
  #offset = 0
  /** False once the server has answered a request for a range with something else. */
  #hasRanges = true

  constructor(requests: FileRequests, first: HttpAnswer) {
    this.#requests = requests
    this.#answer = first
    this.facts = readFacts(first)
    this.chunks = this.#read()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A reader that is ahead of the caller may still be waiting for bytes.
    this.#requests.close()
    await this.chunks.return(undefined)
  }

  async *#read(): AsyncGenerator<Buffer> {
    const { address, patience } = this.#requests
    let body = this.#answer.body
    try {
      for (;;) {
        try {
          for await (const chunk of body) {
            this.#offset += chunk.length
            this.#hash.update(chunk)
            if (!patience.receive(chunk.length))
              throw new LoadRefused(address, 'cannot be fetched: its server sends less than 10 kB a second')
            yield chunk
            patience.ask()
          }
          const { size } = this.facts
          if (size === undefined || this.#offset >= size) return
          throw new Error(`ends after ${this.#offset} of ${size} bytes`)
        } catch (error) {
          this.#answer[Symbol.dispose]()
          await this.#requests.outlast(error)
        }
        body = await this.#continue()
      }
    } finally {
      this.#answer[Symbol.dispose]()
    }
  }

  async #continue(): Promise<AsyncGenerator<Buffer>> {
    const { etag } = this.facts
    const byRange = this.#offset > 0 && etag !== undefined && this.#hasRanges
    this.#answer = await this.#requests.ask(byRange ? { range: `bytes=${this.#offset}-`, 'if-range': etag } : {})
    if (byRange && continues(this.#answer, this.#offset, this.facts)) return this.#answer.body
    if (this.#answer.status !== 200) {
      this.#answer[Symbol.dispose]()
      if (!byRange) throw new LoadRefused(this.#requests.address, 'is answered with a part of it')
      this.#hasRanges = false
      return this.#continue()
    }
    this.facts = readFacts(this.#answer)
    return this.#offset === 0 ? this.#answer.body : this.#skipBeginning(this.#answer.body)
  }

  /**
   * Skips the beginning that has been read before.
   *
   * @throws ChangedWhileRead if the file begins with other bytes
   */
  async *#skipBeginning(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const digest = this.#hash.copy().digest()
    const hash = createHash('sha256')
    let missing = this.#offset
    for await (const chunk of body) {
      const length = Math.min(missing, chunk.length)
      if (length > 0) {
        hash.update(chunk.subarray(0, length))
        missing -= length
        if (missing === 0 && !hash.digest().equals(digest)) throw new ChangedWhileRead(this.#requests.address)
      }
      if (length < chunk.length) yield chunk.subarray(length)
    }
    if (missing > 0) throw new ChangedWhileRead(this.#requests.address)
  }
}
