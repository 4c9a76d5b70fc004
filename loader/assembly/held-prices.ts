import type { StagingDatabase } from '../staging/staging-database.ts'

/** The prices of a part, held in memory. */
export class HeldPrices {
  readonly terms: Uint32Array
  /** In ten-thousandths. */
  readonly amounts: BigInt64Array
  /** The places of the prices in their file. */
  readonly ordinals: BigInt64Array
  /** Where each price is in the columns, rate by rate. */
  readonly order: Uint32Array
  #firstRate = 0
  /** Where the prices of each rate begin in `order`, from the first rate on. */
  #starts = new Uint32Array(0)

  private constructor(prices: number) {
    this.terms = new Uint32Array(prices)
    this.amounts = new BigInt64Array(prices)
    this.ordinals = new BigInt64Array(prices)
    this.order = new Uint32Array(prices)
  }

  /**
   * Reads all prices that were staged; they come in any order.
   *
   * @param prices how many there are
   * @param ordinal the place of a price in its file, in SQL
   */
  static async read(database: StagingDatabase, prices: number, ordinal: string): Promise<HeldPrices> {
    const held = new HeldPrices(prices)
    const rates = new Uint32Array(prices)
    let read = 0
    for await (const chunk of database.readNumbers(`SELECT rate, terms, negotiated_rate, ${ordinal} FROM prices`)) {
      rates.set(chunk.uinteger(0).subarray(0, chunk.rows), read)
      held.terms.set(chunk.uinteger(1).subarray(0, chunk.rows), read)
      held.amounts.set(chunk.decimal(2).subarray(0, chunk.rows), read)
      held.ordinals.set(chunk.bigint(3).subarray(0, chunk.rows), read)
      read += chunk.rows
    }
    held.#sort(rates)
    return held
  }

  /** Where the prices of a rate begin in `order`; they end where those of the next rate begin. */
  startOf(rate: number): number {
    return this.#starts[rate - this.#firstRate] ?? (rate < this.#firstRate ? 0 : this.order.length)
  }

  #sort(rates: Uint32Array): void {
    let [first, last] = [rates[0] ?? 0, 0]
    for (const rate of rates) {
      first = Math.min(first, rate)
      last = Math.max(last, rate)
    }
    const starts = new Uint32Array(last - first + 2)
    for (const rate of rates) starts[rate - first + 1] = (starts[rate - first + 1] ?? 0) + 1
    for (let rate = 1; rate < starts.length; rate++) starts[rate] = (starts[rate] ?? 0) + (starts[rate - 1] ?? 0)
    this.#firstRate = first
    this.#starts = starts.slice()
    for (let price = 0; price < rates.length; price++) {
      const rate = (rates[price] ?? 0) - first
      const place = starts[rate] ?? 0
      this.order[place] = price
      starts[rate] = place + 1
    }
  }
}
