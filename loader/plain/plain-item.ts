import { isUtf8 } from 'node:buffer'
import { byte, isAt, odd, passPlainString, passSpace, passValue, short } from '../json/byte-scan.ts'
import { parseText } from './parse-slice.ts'
import type { PlainRates } from './plain-rates.ts'

/** An item without its rates, and the position after it. */
export interface PlainItem {
  readonly value: unknown
  readonly end: number
}

const ratesName = Buffer.from('"negotiated_rates"')

/**
 * Reads an element of `in_network` from its bytes: its rates into `rates`, its other fields the ordinary way.
 *
 * @returns the item with an empty array in place of its rates; `odd` if it must be read the ordinary way, `short` if its
 * bytes end before it
 */
export function readPlainItem(
  { bytes, start, end }: { readonly bytes: Buffer; readonly start: number; readonly end: number },
  rates: PlainRates<unknown>,
): PlainItem | typeof odd | typeof short {
  if (bytes[start] !== byte.braceOpen) return odd
  const fields: string[] = []
  let hasRates = false
  let at = passSpace(bytes, start + 1, end)
  for (;;) {
    const name = at
    if (at < end && bytes[at] !== byte.quote) return odd
    const afterName = passPlainString(bytes, at, end)
    if (afterName < 0) return afterName === odd ? odd : short
    const colon = passSpace(bytes, afterName, end)
    if (colon >= end) return short
    if (bytes[colon] !== byte.colon) return odd
    at = passSpace(bytes, colon + 1, end)
    const isRates = isAt(bytes, name, ratesName)
    if (isRates && hasRates) return odd
    const after = isRates ? rates.readAll(bytes, at, end) : passValue(bytes, at, end)
    if (after < 0) return after === odd ? odd : short
    if (isRates) {
      hasRates = true
      fields.push('"negotiated_rates":[]')
    } else {
      const field = bytes.subarray(name, after)
      if (!isUtf8(field)) return odd
      fields.push(field.toString())
    }
    at = passSpace(bytes, after, end)
    if (at >= end) return short
    if (bytes[at] === byte.braceClose) break
    if (bytes[at] !== byte.comma) return odd
    at = passSpace(bytes, at + 1, end)
  }
  const parsed = hasRates ? parseText(`{${fields.join(',')}}`, true) : undefined
  return parsed === undefined ? odd : { value: parsed.value, end: at + 1 }
}
