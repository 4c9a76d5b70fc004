import { readItem, readNegotiatedRate, readProviderReference } from '../in-network-file.ts'
import { odd, short } from '../json/byte-scan.ts'
import type { PeekedBytes } from '../json/byte-window.ts'
import { type Place, pathOf } from '../json/json-object.ts'
import { type JsonStream, tooLong } from '../json/json-stream.ts'
import { countPrices, isPassed } from '../passed-items.ts'
import { PublishedObject } from '../published-object.ts'
import type { Reading } from '../read-in-network.ts'
import type { Element } from '../read-parts.ts'
import type { GroupReader } from './group-reader.ts'
import { readPlainObject } from './plain-object.ts'
import type { ParsedRate, PlainRate, PlainRates } from './plain-rates.ts'

/** Takes what differs from the parts of `InNetworkVisitor` only in how it was read. */
export interface PlainVisitor {
  readonly rates: PlainRates
  /** Reads the groups of references into `InNetworkVisitor.groups`. */
  readonly groups: GroupReader
  /**
   * @param rate of `rates`
   * @param at its place
   * @param item index of the rate's item in the file
   * @param index of the rate in the item
   */
  rate(rate: PlainRate, at: Place, item: number, index: number): void
}

const ratesName = Buffer.from('"negotiated_rates"')
const groupsName = Buffer.from('"provider_groups"')

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
  const item = await readAhead(stream, place, limit, (peeked) => {
    plain.rates.clear()
    return readPlainObject(peeked, ratesName, plain.rates.readAll)
  })
  const object = PublishedObject.read(item, place, findings)
  if (object === undefined) return false
  if (isPassed(item, visitor)) visitor.passItem(plain.rates.rates.reduce((sum, rate) => sum + countPrices(rate), 0))
  else {
    visitor.item(readItem(object), place.index)
    for (const [index, rate] of plain.rates.rates.entries()) {
      const at = { file: place.file, parent: object, field: 'negotiated_rates', index }
      visitRate(rate, at, reading, place.index)
    }
  }
  return true
}

/** As `visitPlainItem`, for an element of `provider_references` that has its groups in the file. */
export async function visitPlainReference(reading: Reading, place: Element, limit: number): Promise<boolean> {
  const { stream, visitor, findings } = reading
  const { plain } = visitor
  if (plain === undefined) return false
  const reference = await readAhead(stream, place, limit, (peeked) => {
    visitor.groups.dropOpen()
    const read = readPlainObject(peeked, groupsName, plain.groups.read)
    // The name is that of its groups, which are stored by now.
    return typeof read === 'object' && Object.hasOwn(Object(read.value), 'business_name') ? odd : read
  })
  const object = PublishedObject.read(reference, place, findings)
  if (object === undefined) {
    visitor.groups.dropOpen()
    return false
  }
  findings.units.groups.published += plain.groups.groupCount
  findings.units.npis.published += plain.groups.npiCount
  await visitor.reference(readProviderReference(object), place.index)
  return true
}

/** Reads the next object from bytes that are read ahead; undefined if it must be read the ordinary way. */
async function readAhead(
  stream: JsonStream,
  place: Element,
  limit: number,
  read: (peeked: PeekedBytes) => ReturnType<typeof readPlainObject>,
): Promise<unknown> {
  const path = () => pathOf(place)
  let peeked = await stream.peekBytes(path)
  let object = read(peeked)
  if (object === short) {
    const whole = await stream.peekValue(path, limit)
    if (whole === tooLong) return undefined
    peeked = whole
    object = read(whole)
  }
  if (typeof object === 'number') return undefined
  stream.passBytes(object.end - peeked.start)
  return object.value
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
