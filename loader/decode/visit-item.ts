import type { Rate } from './by-bytes/scanned-rates.ts'
import { Findings } from './findings.ts'
import { readItem, readNegotiatedRate } from './in-network-file.ts'
import type { InNetworkVisitor, Reading } from './in-network-visitor.ts'
import { readBillingCode } from './published-code.ts'
import { PublishedObject } from './published-object.ts'
import type { Element } from './read-values.ts'

/** Visits an element of `in_network` and its rates, unless it is not wanted. */
export function visitItem(reading: Reading, item: unknown, rates: readonly Rate[], place: Element): void {
  const { visitor, findings } = reading
  const object = PublishedObject.readCounting(item, place, findings, 'unfit-item')
  if (object === undefined) visitor.item(undefined, place.index)
  else if (isPassed(item, visitor)) visitor.passItem(rates.reduce((sum, rate) => sum + countPrices(rate), 0))
  else {
    visitor.item(readItem(object), place.index)
    let index = 0
    for (const rate of rates) {
      const at = { file: place.file, parent: object, field: 'negotiated_rates', index: index++ }
      visitRate(reading, rate, at, place.index)
    }
  }
}

/**
 * @param at the place of the rate
 * @param item index of its item in the file
 */
export function visitRate({ visitor, findings }: Reading, rate: Rate, at: Element, item: number): void {
  if (rate.kind === 'scanned') visitor.scan?.rate(rate, at, item, at.index)
  else {
    const object = PublishedObject.readCounting(rate.value, at, findings, 'unfit-rates')
    visitor.rate(object && readNegotiatedRate(object), item, at.index)
  }
}

/** Discards the findings of objects that are inspected but not loaded. */
const ignored = { file: '', findings: new Findings() }

/** Whether an item is known to be unwanted. */
export function isPassed(item: unknown, { isWanted }: InNetworkVisitor): boolean {
  if (isWanted === undefined) return false
  const object = PublishedObject.read(item, ignored, ignored.findings)
  const code = object && readBillingCode(object, 'unfit-item')
  return code !== undefined && !isWanted(code)
}

/** How many prices a rate has. */
export function countPrices(rate: Rate): number {
  if (rate.kind === 'scanned') return rate.endOfPrices - rate.firstPrice
  return PublishedObject.read(rate.value, ignored, ignored.findings)?.array('negotiated_prices')?.length ?? 0
}
