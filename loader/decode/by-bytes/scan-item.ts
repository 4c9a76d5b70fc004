import type { Reading } from '../in-network-visitor.ts'
import { odd } from '../json/byte-scan.ts'
import type { PeekedBytes } from '../json/byte-window.ts'
import { pathOf } from '../json/json-object.ts'
import type { JsonStream } from '../json/json-stream.ts'
import type { Element } from '../read-values.ts'
import { scanObject } from './parse-slice.ts'

const ratesName = Buffer.from('"negotiated_rates"')
const groupsName = Buffer.from('"provider_groups"')

/** Objects up to this many bytes are read at once; the long array in a larger one is read element by element. */
export const wholeObject = 1 << 22

/** Reads an element of `in_network` from its bytes. @returns undefined if it must be read the ordinary way */
export async function scanItem({ stream, visitor: { scan } }: Reading, place: Element) {
  if (scan === undefined) return undefined
  const item = await readAhead(stream, place, (peeked) => {
    scan.rates.clear()
    return scanObject(peeked, ratesName, scan.rates.readAll)
  })
  return item && { value: item.value, rates: scan.rates.rates }
}

/**
 * Reads an element of `provider_references` that has its groups in the file from its bytes.
 *
 * @returns undefined if it must be read the ordinary way
 */
export async function scanReference({ stream, visitor: { scan, groups } }: Reading, place: Element) {
  if (scan === undefined) return undefined
  const reference = await readAhead(stream, place, (peeked) => {
    groups.dropOpen()
    const read = scanObject(peeked, groupsName, scan.groups.read)
    // The name is that of its groups, which are stored by now.
    return typeof read === 'object' && Object.hasOwn(Object(read.value), 'business_name') ? odd : read
  })
  if (reference === undefined) groups.dropOpen()
  return reference && { value: reference.value, groupCount: scan.groups.groupCount, npiCount: scan.groups.npiCount }
}

/** Reads an element of `negotiated_rates` from its bytes. @returns undefined if it must be read the ordinary way */
export async function scanRate({ stream, visitor: { scan } }: Reading, place: Element) {
  if (scan === undefined) return undefined
  const scanned = await readAhead(stream, place, ({ bytes, start, end }) => {
    scan.rates.clear()
    const after = scan.rates.read(bytes, start, end)
    return after < 0 ? after : { end: after }
  })
  return scanned && scan.rates.rates[0]
}

/** Reads the next value from bytes that are read ahead. */
async function readAhead<Read extends { readonly end: number }>(
  stream: JsonStream,
  place: Element,
  read: (peeked: PeekedBytes) => Read | number,
): Promise<Read | undefined> {
  const peeked = await stream.peekBytes(() => pathOf(place), wholeObject)
  const found = read(peeked)
  if (typeof found === 'number') return undefined
  stream.passBytes(found.end - peeked.start)
  return found
}
