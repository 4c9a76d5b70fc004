import { short } from '../json/byte-scan.ts'
import { type Place, pathOf } from '../json/json-object.ts'
import { tooLong } from '../json/json-stream.ts'
import { readItem, readNegotiatedRate } from '../published/in-network-file.ts'
import { countPrices, isPassed } from '../published/passed-items.ts'
import { PublishedObject } from '../published/published-object.ts'
import type { Element, Reading } from '../published/read-in-network.ts'
import { readPlainItem } from './plain-item.ts'
import type { ParsedRate, PlainRate, PlainRates } from './plain-rates.ts'

/** Takes rates that differ from those of `InNetworkVisitor.rate` only in how they were read. */
export interface PlainVisitor {
  readonly rates: PlainRates<unknown>
  /**
   * @param rate of `rates`
   * @param at its place
   * @param item index of the rate's item in the file
   * @param index of the rate in the item
   */
  rate(rate: PlainRate, at: Place, item: number, index: number): void
}

/**
 * Reads an element of `in_network` from its bytes.
 *
 * @param limit most bytes of an item that does not fit what is read ahead
 * @returns whether it was read; if not, it must be read the ordinary way
 */
export async function visitPlainItem(reading: Reading, place: Element, limit: number): Promise<boolean> {
  const { stream, visitor, findings } = reading
  const { plain } = visitor
  if (plain === undefined) return false
  const path = () => pathOf(place)
  const peeked = await stream.peekBytes(path)
  let { start } = peeked
  plain.rates.clear()
  let item = readPlainItem(peeked, plain.rates)
  if (item === short) {
    const whole = await stream.peekValue(path, limit)
    if (whole === tooLong) return false
    start = whole.start
    plain.rates.clear()
    item = readPlainItem(whole, plain.rates)
  }
  const object = typeof item === 'object' ? PublishedObject.read(item.value, place, findings) : undefined
  if (typeof item !== 'object' || object === undefined) return false
  stream.passBytes(item.end - start)
  if (isPassed(item.value, visitor))
    visitor.passItem(plain.rates.rates.reduce((sum, rate) => sum + countPrices(rate), 0))
  else {
    visitor.item(readItem(object), place.index)
    for (const [index, rate] of plain.rates.rates.entries()) {
      const at = { file: place.file, parent: object, field: 'negotiated_rates', index }
      visitRate(rate, at, reading, place.index)
    }
  }
  return true
}

/** @param at the place of the rate */
function visitRate(rate: PlainRate | ParsedRate, at: Element, { visitor, findings }: Reading, item: number): void {
  if (rate.kind === 'parsed') {
    const object = PublishedObject.readCounting(rate.value, at, findings, 'unfit-rates')
    visitor.rate(object && readNegotiatedRate(object), item, at.index)
    return
  }
  visitor.plain?.rate(rate, at, item, at.index)
}

/**
 * Reads an element of `negotiated_rates` from its bytes, for items that are too long to be read at once.
 *
 * @returns undefined if it must be read the ordinary way
 */
export async function readPlainRate({ stream, visitor }: Reading, place: Element): Promise<PlainRate | undefined> {
  const { plain } = visitor
  if (plain === undefined) return undefined
  const { bytes, start, end } = await stream.peekBytes(() => pathOf(place))
  plain.rates.clear()
  const after = plain.rates.read(bytes, start, end)
  const [rate] = plain.rates.rates
  if (after < 0 || rate?.kind !== 'plain') return undefined
  stream.passBytes(after - start)
  return rate
}
