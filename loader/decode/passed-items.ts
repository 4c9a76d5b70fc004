import type { ParsedRate, ScannedRate } from './by-bytes/scanned-rates.ts'
import { Findings } from './findings.ts'
import type { InNetworkVisitor } from './in-network-visitor.ts'
import { readBillingCode } from './published-code.ts'
import { PublishedObject } from './published-object.ts'

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
export const countPrices = (rate: ScannedRate | ParsedRate) =>
  rate.kind === 'scanned' ? rate.endOfPrices - rate.firstPrice : countParsedPrices(rate.value)

export function countParsedPrices(rate: unknown): number {
  return PublishedObject.read(rate, ignored, ignored.findings)?.array('negotiated_prices')?.length ?? 0
}
