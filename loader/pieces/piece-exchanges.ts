import type { ItemScan } from './item-scan.ts'
import type { PieceExchange } from './stage-piece.ts'

/** Tells the pieces of a file what they need from each other. */
export class PieceExchanges {
  readonly #scan: ItemScan
  readonly #references = Promise.withResolvers<string>()
  readonly #reads: PromiseWithResolvers<number>[] = []
  #pricesBefore: Promise<number> = Promise.resolve(0)

  /** @param signal ends all waiting */
  constructor(scan: ItemScan, signal: AbortSignal) {
    this.#scan = scan
    this.#references.promise.catch(() => undefined)
    signal.addEventListener('abort', () => {
      for (const waiting of [this.#references, ...this.#reads]) waiting.reject(signal.reason)
    })
  }

  /** Tells all pieces the path of the database with the references. */
  share(references: string): void {
    this.#references.resolve(references)
  }

  /** Returns the exchange of the next piece, in the order of the file. */
  add(): PieceExchange {
    const read = Promise.withResolvers<number>()
    this.#reads.push(read)
    const pricesBefore = this.#pricesBefore
    this.#pricesBefore = Promise.all([pricesBefore, read.promise]).then(([sum, prices]) => sum + prices)
    // The piece that fails says why.
    this.#pricesBefore.catch(() => undefined)
    return {
      references: this.#references.promise,
      pricesBefore,
      knowsLeftOut: this.#scan.hasReferencesBefore,
      onRead: read.resolve,
    }
  }
}
