import type { Hash } from 'node:crypto'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { LoadRefused } from '../load-refused.ts'
import type { ItemRange } from './item-scan.ts'
import { ItemScan } from './item-scan.ts'

/** A range of a file's items, which one worker stages. */
export interface Piece extends ItemRange {
  readonly path: string
  readonly number: number
}

/** How large pieces are, in bytes. */
export interface PieceSizes {
  readonly smallest: number
  readonly largest: number
}

/** Larger pieces would be staged in several parts; smaller ones make more files in the warehouse. */
export const pieceSizes: PieceSizes = { smallest: 1 << 25, largest: 1 << 29 }

/** Size of one read from disk. */
const readSize = 1 << 20

/** Pieces that are found before they are asked for, for each that is staged at a time. */
const piecesAhead = 2

/**
 * Reads a file once from its start to its end, for its hash and the places of its pieces. It stays a few pieces ahead of
 * those who stage them, so that the file is read from disk once, unless its references may follow its items.
 */
export class PieceQueue {
  readonly scan: ItemScan
  readonly path: string
  readonly #size: number
  readonly #width: number
  readonly #sizes: PieceSizes
  readonly #hash: Hash = createHash('sha256')
  readonly #ready: Piece[] = []
  readonly #begun = Promise.withResolvers<void>()
  readonly #reading: Promise<void>
  #changed = Promise.withResolvers<void>()
  #count = 0
  #round = 0
  #isDone = false

  /**
   * @param size of the file
   * @param width how many pieces are staged at a time
   */
  constructor(path: string, size: number, width: number, sizes: PieceSizes, signal: AbortSignal) {
    this.path = path
    this.#size = size
    this.#width = width
    this.#sizes = sizes
    this.scan = new ItemScan((from) => from + this.#nextSize(from))
    signal.addEventListener('abort', () => this.#notify(), { once: true })
    this.#reading = this.#read(signal)
    this.#reading.then(() => this.#begun.resolve(), this.#begun.reject)
    this.#begun.promise.catch(() => undefined)
  }

  /** Waits until the items are reached. */
  get begun(): Promise<void> {
    return this.#begun.promise
  }

  /** Waits until all is read. Returns SHA-256 of the file in hex. @throws LoadRefused if the file cannot be cut */
  async end(): Promise<string> {
    await this.#reading
    return this.#hash.copy().digest('hex')
  }

  /** Takes the next piece; undefined after the last. */
  async next(): Promise<Piece | undefined> {
    for (;;) {
      const piece = this.#ready.shift()
      if (piece !== undefined || this.#isDone) {
        this.#notify()
        if (piece === undefined) await this.#reading
        return piece
      }
      await this.#changed.promise
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    const stream = createReadStream(this.path, { highWaterMark: readSize })
    try {
      for await (const chunk of stream) {
        signal.throwIfAborted()
        this.#hash.update(chunk)
        for (const range of this.scan.take(chunk))
          this.#ready.push({ ...range, path: this.path, number: this.#count++ })
        if (this.scan.itemsFrom === undefined) continue
        this.#begun.resolve()
        this.#notify()
        while (this.#isAhead && !signal.aborted) await this.#changed.promise
      }
      if (!this.scan.isComplete) throw new LoadRefused(this.path, 'has no array in_network that can be cut')
    } finally {
      stream.destroy()
      this.#isDone = true
      this.#notify()
    }
  }

  get #isAhead(): boolean {
    return this.scan.hasReferencesBefore && this.#ready.length >= piecesAhead * this.#width
  }

  /** Pieces that are staged at the same time are of the same size, and smaller towards the end, so that all end together. */
  #nextSize(from: number): number {
    const { smallest, largest } = this.#sizes
    if (this.#count % this.#width === 0)
      this.#round = Math.min(largest, Math.max(smallest, (this.#size - from) / (2 * this.#width)))
    return this.#round
  }

  #notify(): void {
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }
}
