import { scanObject } from '../decode/by-bytes/parse-slice.ts'
import type { Rate } from '../decode/by-bytes/scanned-rates.ts'
import { type Position, pathOf } from '../decode/json/json-object.ts'
import { tooLong, wholeObject } from '../decode/json/json-stream.ts'
import { PublishedObject } from '../decode/published-object.ts'
import { type Element, maxElementBytes, readArray, readLongObject, readValue } from '../decode/read-values.ts'
import { type Reading, scanOf } from './reading.ts'

const ratesName = Buffer.from('"negotiated_rates"')

/** Reads `in_network`. Items that cannot be scanned are parsed. @returns true if there is an array */
export function readItems(reading: Reading, list: Position): Promise<boolean> {
  const { scannedRates } = reading.prices
  const scan = scanOf(reading, {
    makeRoom: () => reading.makeRoom(),
    read(bytes, start, end, index) {
      scannedRates.clear()
      const item = scanObject({ bytes, start, end }, ratesName, scannedRates.readAll)
      if (typeof item === 'number') return item
      addItem(reading, item.value, scannedRates.rates, { ...list, index })
      return item.end
    },
  })
  return readArray(reading.stream, list, { scan, read: (position) => readItem(reading, position) })
}

async function readItem(reading: Reading, position: Element): Promise<void> {
  const { stream, findings } = reading
  const item = await stream.read({ path: () => pathOf(position), limit: wholeObject })
  if (item === tooLong) return readLongItem(reading, position)
  const rates = PublishedObject.read(item, position, findings)?.array('negotiated_rates') ?? []
  addItem(reading, item, rates.map(parsedRate), position)
}

const parsedRate = (value: unknown): Rate => ({ kind: 'parsed', value })

/** Adds an item and then its rates, unless the filter leaves it out. */
function addItem({ prices, findings }: Reading, item: unknown, rates: readonly Rate[], position: Element): void {
  if (prices.leavesOut(item)) {
    for (const rate of rates) prices.passRate(rate)
    prices.passItem()
    return
  }
  const object = PublishedObject.readCounting(item, position, findings, 'unfit-item')
  prices.addItem(object, position.index)
  if (object === undefined) return
  let index = 0
  for (const rate of rates) {
    const at = { parent: object, field: 'negotiated_rates', index: index++ }
    prices.addRate(rate, at, position.index)
  }
}

/** Reads the rates of an item one by one, and adds the item after them. */
async function readLongItem(reading: Reading, position: Element): Promise<void> {
  const { stream, findings, prices } = reading
  const { scannedRates } = prices
  let isLeftOut = false
  const take = (rate: Rate, at: Element) =>
    isLeftOut ? prices.passRate(rate) : prices.addRate(rate, at, position.index)
  const fields = await readLongObject(stream, position, 'negotiated_rates', (list, fieldsBefore) => {
    // Known only if the code comes before the rates. Otherwise they are dropped once the item is complete.
    isLeftOut = prices.leavesOut(fieldsBefore)
    const scan = scanOf(reading, {
      makeRoom: () => reading.makeRoom(),
      read(bytes, start, end, index) {
        scannedRates.clear()
        const after = scannedRates.read(bytes, start, end)
        const [rate] = scannedRates.rates
        if (after >= 0 && rate !== undefined) take(rate, { ...list, index })
        return after
      },
    })
    return { scan, read: async (at) => take(parsedRate(await readValue(stream, at, maxElementBytes)), at) }
  })
  if (isLeftOut) prices.passItem()
  else prices.addItem(PublishedObject.readCounting(fields, position, findings, 'unfit-item'), position.index)
}
