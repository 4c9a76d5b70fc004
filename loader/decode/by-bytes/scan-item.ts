import { readItem, readNegotiatedRate, readProviderReference } from '../in-network-file.ts'
import type { Reading } from '../in-network-visitor.ts'
import { odd } from '../json/byte-scan.ts'
import type { PeekedBytes } from '../json/byte-window.ts'
import { pathOf } from '../json/json-object.ts'
import type { JsonStream } from '../json/json-stream.ts'
import { countPrices, isPassed } from '../passed-items.ts'
import { PublishedObject } from '../published-object.ts'
import type { Element } from '../read-values.ts'
import { scanObject } from './parse-slice.ts'
import type { ParsedRate, ScannedRate } from './scanned-rates.ts'

const ratesName = Buffer.from('"negotiated_rates"')
const groupsName = Buffer.from('"provider_groups"')

/**
 * Reads an element of `in_network` from its bytes.
 *
 * @param limit most bytes of an item
 * @returns whether it was read; if not, it must be read the ordinary way
 */
export async function scanItem(reading: Reading, place: Element, limit: number): Promise<boolean> {
  const { stream, visitor, findings } = reading
  const { scan } = visitor
  if (scan === undefined) return false
  const item = await readAhead(stream, place, limit, (peeked) => {
    scan.rates.clear()
    return scanObject(peeked, ratesName, scan.rates.readAll)
  })
  const object = PublishedObject.read(item, place, findings)
  if (object === undefined) return false
  if (isPassed(item, visitor)) visitor.passItem(scan.rates.rates.reduce((sum, rate) => sum + countPrices(rate), 0))
  else {
    visitor.item(readItem(object), place.index)
    for (const [index, rate] of scan.rates.rates.entries()) {
      const at = { file: place.file, parent: object, field: 'negotiated_rates', index }
      visitRate(rate, at, reading, place.index)
    }
  }
  return true
}

/** As `scanItem`, for an element of `provider_references` that has its groups in the file. */
export async function scanReference(reading: Reading, place: Element, limit: number): Promise<boolean> {
  const { stream, visitor, findings } = reading
  const { scan } = visitor
  if (scan === undefined) return false
  const reference = await readAhead(stream, place, limit, (peeked) => {
    visitor.groups.dropOpen()
    const read = scanObject(peeked, groupsName, scan.groups.read)
    // The name is that of its groups, which are stored by now.
    return typeof read === 'object' && Object.hasOwn(Object(read.value), 'business_name') ? odd : read
  })
  const object = PublishedObject.read(reference, place, findings)
  if (object === undefined) {
    visitor.groups.dropOpen()
    return false
  }
  findings.units.groups.published += scan.groups.groupCount
  findings.units.npis.published += scan.groups.npiCount
  await visitor.reference(readProviderReference(object, true), place.index)
  return true
}

/** Reads the next object from bytes that are read ahead; undefined if it must be read the ordinary way. */
async function readAhead(
  stream: JsonStream,
  place: Element,
  limit: number,
  read: (peeked: PeekedBytes) => ReturnType<typeof scanObject>,
): Promise<unknown> {
  const peeked = await stream.peekBytes(() => pathOf(place), limit)
  const object = read(peeked)
  if (typeof object === 'number') return undefined
  stream.passBytes(object.end - peeked.start)
  return object.value
}

/** @param at the place of the rate */
function visitRate(rate: ScannedRate | ParsedRate, at: Element, { visitor, findings }: Reading, item: number): void {
  if (rate.kind === 'parsed') {
    const object = PublishedObject.readCounting(rate.value, at, findings, 'unfit-rates')
    visitor.rate(object && readNegotiatedRate(object), item, at.index)
    return
  }
  visitor.scan?.rate(rate, at, item, at.index)
}

/**
 * Reads an element of `negotiated_rates` from its bytes, for items that are too long to be read at once.
 *
 * @returns undefined if it must be read the ordinary way
 */
export async function scanRate(
  { stream, visitor }: Reading,
  place: Element,
  limit: number,
): Promise<ScannedRate | undefined> {
  const { scan } = visitor
  if (scan === undefined) return undefined
  const { bytes, start, end } = await stream.peekBytes(() => pathOf(place), limit)
  scan.rates.clear()
  const after = scan.rates.read(bytes, start, end)
  const [rate] = scan.rates.rates
  if (after < 0 || rate?.kind !== 'scanned') return undefined
  stream.passBytes(after - start)
  return rate
}
