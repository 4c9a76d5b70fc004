import type { StagingDatabase } from '../staging/staging-database.ts'

/** The prices of a part, held in memory in the order of their rates. */
export class HeldPrices {
  readonly terms: Uint32Array
  /** In ten-thousandths. */
  readonly amounts: BigInt64Array
  /** The places of the prices in their file. */
  readonly ordinals: BigInt64Array
  /** Where the prices of each rate begin, from `#firstRate` on. */
  readonly #starts: Uint32Array
  readonly #firstRate: number

  private constructor(prices: number, firstRate: number, lastRate: number) {
    this.terms = new Uint32Array(prices)
    this.amounts = new BigInt64Array(prices)
    this.ordinals = new BigInt64Array(prices)
    this.#starts = new Uint32Array(lastRate - firstRate + 2)
    this.#firstRate = firstRate
  }

  /**
   * Reads all prices that were staged. DuckDB keeps the order of a table's rows (`preserve_insertion_order`).
   *
   * @param prices how many there are
   * @throws RangeError if they do not come in the order in which they were staged
   */
  static async read(database: StagingDatabase, prices: number): Promise<HeldPrices> {
    const [rates] = await database.query('SELECT min(rate) AS first, max(rate) AS last FROM prices')
    const held = new HeldPrices(prices, Number(rates?.['first']), Number(rates?.['last']))
    let [read, rate] = [0, held.#firstRate]
    for await (const chunk of database.readNumbers(
      'SELECT rate, terms, negotiated_rate, ordinal::bigint FROM prices',
    )) {
      const rateOf = chunk.uinteger(0)
      for (let row = 0; row < chunk.rows; row++) {
        const next = rateOf[row] ?? 0
        if (next < rate) throw new RangeError(`a price of the rate ${next} comes after one of ${rate}`)
        while (rate < next) held.#starts[++rate - held.#firstRate] = read + row
      }
      held.terms.set(chunk.uinteger(1).subarray(0, chunk.rows), read)
      held.amounts.set(chunk.decimal(2).subarray(0, chunk.rows), read)
      held.ordinals.set(chunk.bigint(3).subarray(0, chunk.rows), read)
      read += chunk.rows
    }
    held.#starts[rate + 1 - held.#firstRate] = read
    return held
  }

  /** Where the first price of a rate is, or that of the next rate if it has none. */
  startOf(rate: number): number {
    return this.#starts[rate - this.#firstRate] ?? (rate < this.#firstRate ? 0 : this.terms.length)
  }
}
