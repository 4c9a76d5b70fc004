import { scanObject } from './by-bytes/parse-slice.ts'
import type { Reading } from './in-network-visitor.ts'
import type { ElementScan } from './json/byte-window.ts'
import { type Place, pathOf } from './json/json-object.ts'
import type { Element } from './read-values.ts'
import { visitItem } from './visit-item.ts'

const ratesName = Buffer.from('"negotiated_rates"')

/** Objects up to this many bytes are read at once; the long array in a larger one is read element by element. */
export const wholeObject = 1 << 22

/** Reads elements of `in_network` from their bytes; undefined if all are to be parsed. */
export function scanItems(reading: Reading, list: Place): ElementScan | undefined {
  const { visitor } = reading
  const { scan } = visitor
  return (
    scan && {
      limit: wholeObject,
      makeRoom: () => visitor.makeRoom?.(),
      read(bytes, start, end, index) {
        scan.rates.clear()
        const item = scanObject({ bytes, start, end }, ratesName, scan.rates.readAll)
        if (typeof item === 'number') return item
        visitItem(reading, item.value, scan.rates.rates, { ...list, index })
        return item.end
      },
    }
  )
}

/** As `scanItems`, for elements of `provider_references`. */
export function scanReferences({ visitor, findings }: Reading): ElementScan | undefined {
  const { scan, groups } = visitor
  return (
    scan && {
      limit: wholeObject,
      makeRoom: () => scan.makeRoomForReferences(),
      read(bytes, start, end, index) {
        const { references } = scan
        const after = references.read(bytes, start, end)
        if (after < 0) groups.dropOpen()
        else {
          findings.units.groups.published += references.groups.groupCount
          findings.units.npis.published += references.groups.npiCount
          scan.reference(bytes, index)
        }
        return after
      },
    }
  )
}

/** Reads an element of `negotiated_rates` from its bytes. @returns undefined if it must be read the ordinary way */
export async function scanRate({ stream, visitor: { scan } }: Reading, place: Element) {
  if (scan === undefined) return undefined
  const { bytes, start, end } = await stream.peekBytes(() => pathOf(place), wholeObject)
  scan.rates.clear()
  const after = scan.rates.read(bytes, start, end)
  if (after < 0) return undefined
  stream.passBytes(after - start)
  return scan.rates.rates[0]
}
