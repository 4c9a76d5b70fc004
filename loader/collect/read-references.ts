import { type ProviderReference, readProviderReference } from '../decode/in-network-file.ts'
import { type Position, pathOf } from '../decode/json/json-object.ts'
import { tooLong, wholeObject } from '../decode/json/json-stream.ts'
import { addProviderGroups, readBusinessName } from '../decode/provider-groups.ts'
import { PublishedObject } from '../decode/published-object.ts'
import { type Element, maxElementBytes, readArray, readLongObject, readValue } from '../decode/read-values.ts'
import { type Reading, scanOf } from './reading.ts'

/** Reads `provider_references`: each from its bytes, or parsed if it is odd. */
export async function readReferences(reading: Reading, list: Position): Promise<void> {
  const { stream, providers } = reading
  const scan = scanOf(reading, {
    makeRoom: () => reading.makeRoomForReferences(),
    read(bytes, start, end, index) {
      const after = providers.scannedReferences.read(bytes, start, end)
      if (after < 0) providers.referenceGroups.store.dropOpen()
      else providers.addScannedReference({ ...list, index })
      return after
    },
  })
  await readArray(stream, list, { scan, read: (position) => readReference(reading, position) })
}

async function readReference(reading: Reading, position: Element): Promise<void> {
  const { stream, providers } = reading
  const whole = await stream.read({ path: () => pathOf(position), limit: wholeObject, keepsFields: true })
  const reference = whole === tooLong ? await readLong(reading, position) : readWhole(reading, whole, position)
  if (reference?.location !== undefined && !(await reading.follow(reference.location, reference.at.path)))
    providers.addMissing(reference)
  providers.addReference(reference, position.index)
  await reading.makeRoomForReferences()
}

/** Reads the groups of a reference into the store of the open group. */
function readWhole(
  { findings, providers }: Reading,
  whole: unknown,
  position: Position,
): ProviderReference | undefined {
  const object = PublishedObject.readCounting(whole, position, findings, 'unfit-reference')
  if (object === undefined) return undefined
  const reference = readProviderReference(object)
  const groups = object.objects('provider_groups', object.array('provider_groups') ?? [], 'unfit-group')
  const fallbackName = readBusinessName(object)
  const isFallbackUsed = addProviderGroups(groups, providers.referenceGroups.store, findings, fallbackName)
  if (isFallbackUsed) object.count('name-beside', 'business_name')
  return reference
}

/** Reads a long reference group by group. Its business name counts only for groups that come after the name. */
async function readLong(reading: Reading, position: Element): Promise<ProviderReference | undefined> {
  const { stream, findings, providers } = reading
  let [isFallbackUsed, isRead] = [false, false]
  const fields = await readLongObject(stream, position, 'provider_groups', (_list, fieldsBefore) => {
    const before = PublishedObject.read(fieldsBefore, position, findings)
    const fallbackName = before && readBusinessName(before)
    return {
      async read(at) {
        const value = await readValue(stream, at, maxElementBytes)
        const group = PublishedObject.readCounting(value, at, findings, 'unfit-group')
        isRead = true
        if (addProviderGroups([group], providers.referenceGroups.store, findings, fallbackName)) isFallbackUsed = true
      },
    }
  })
  const object = PublishedObject.readCounting(fields, position, findings, 'unfit-reference')
  if (isFallbackUsed) object?.count('name-beside', 'business_name')
  return object && readProviderReference(object, isRead)
}
