import type { FileHeader, InNetworkItem, NegotiatedRate, ProviderGroup, ProviderReference } from './in-network-file.ts'
import {
  headerFields,
  readFileHeader,
  readItem,
  readNegotiatedRate,
  readProviderGroup,
  readProviderReference,
} from './in-network-file.ts'
import type { Place } from './json-object.ts'
import { JsonObject, pathOf } from './json-object.ts'
import type { JsonStream } from './json-stream.ts'
import { tooLong } from './json-stream.ts'
import { LoadRefused } from './load-refused.ts'

/** Takes the parts of an in-network file in whatever order they stand in it. */
export interface InNetworkVisitor {
  /** Groups of the reference that comes next; in several calls where there are many. */
  groups(groups: Iterable<ProviderGroup>): void
  /** @param index of the reference in the file */
  reference(reference: ProviderReference, index: number): Promise<void> | void
  /** @param index of the item in the file; its rates have come before it */
  item(item: InNetworkItem, index: number): void
  /**
   * @param item index of the rate's item in the file
   * @param index of the rate in the item
   */
  rate(rate: NegotiatedRate, item: number, index: number): void
}

/** Parts up to so many bytes are parsed at once; of larger ones the long array within is read element by element. */
const wholePart = 1 << 22

/** Most bytes of a part that is not read element by element. */
const longestPart = 1 << 26

/** Groups of a large reference that are handed over together. */
const groupsPerCall = 1000

/**
 * Reads an in-network file of any size from its stream. One part is in memory at a time.
 *
 * @returns what the root says of the whole file
 * @throws LoadRefused where it is not JSON, is another kind of file, or a field has the wrong type
 */
export async function readInNetwork(stream: JsonStream, file: string, visitor: InNetworkVisitor): Promise<FileHeader> {
  const header: Record<string, unknown> = {}
  const seen = new Set<string>()
  if ((await stream.kind()) !== 'object') new JsonObject(await readShown(stream, { file }), { file })
  for await (const field of stream.fields(() => '')) {
    const place = { file, field }
    if (field === 'in_network' || field === 'provider_references') {
      if (seen.has(field)) throw new LoadRefused(file, `${field} stands twice in the file`)
      const read = field === 'in_network' ? readInNetworkItem : readReference
      if (!(await eachElement(stream, place, (element) => read(stream, element, visitor)))) continue
    } else if (headerFields.has(field)) header[field] = await readPart(stream, place)
    else await stream.skip(() => field)
    seen.add(field)
  }
  await stream.finish()
  const root = new JsonObject(header, { file })
  if (!seen.has('in_network')) refuseOtherKind(root, seen)
  return readFileHeader(root)
}

type Element = Place & { readonly index: number }

async function readReference(stream: JsonStream, place: Element, visitor: InNetworkVisitor): Promise<void> {
  const path = () => pathOf(place)
  const whole = await stream.read({ path, limit: wholePart, keepsFields: true })
  if (whole !== tooLong) {
    const reference = readProviderReference(new JsonObject(whole, place))
    visitor.groups(reference.groups)
    return visitor.reference(reference, place.index)
  }
  const batch: ProviderGroup[] = []
  const fields = await readLongPart(stream, place, 'provider_groups', (group) => {
    batch.push(readProviderGroup(group))
    if (batch.length === groupsPerCall) visitor.groups(batch.splice(0))
  })
  visitor.groups(batch)
  return visitor.reference(readProviderReference(fields), place.index)
}

async function readInNetworkItem(stream: JsonStream, place: Element, visitor: InNetworkVisitor): Promise<void> {
  const { index } = place
  const path = () => pathOf(place)
  const whole = await stream.read({ path, limit: wholePart })
  let rates = 0
  const takeRate = (rate: JsonObject) => visitor.rate(readNegotiatedRate(rate), index, rates++)
  if (whole === tooLong) {
    visitor.item(readItem(await readLongPart(stream, place, 'negotiated_rates', takeRate)), index)
    return
  }
  const item = new JsonObject(whole, place)
  visitor.item(readItem(item), index)
  for (const rate of item.requiredObjects('negotiated_rates')) takeRate(rate)
}

/**
 * Reads an object that is too long to be parsed at once.
 *
 * @returns the object with an empty array in place of the long one
 */
async function readLongPart(
  stream: JsonStream,
  place: Element,
  long: string,
  take: (element: JsonObject) => void,
): Promise<JsonObject> {
  const fields: Record<string, unknown> = {}
  const parent = { path: pathOf(place) }
  for await (const field of stream.fields(() => parent.path)) {
    const within = { file: place.file, parent, field }
    if (field !== long) fields[field] = await readPart(stream, within)
    else {
      fields[field] = []
      await eachElement(stream, within, async (element) =>
        take(new JsonObject(await readPart(stream, element), element)),
      )
    }
  }
  return new JsonObject(fields, place)
}

/** @returns whether there is an array: null counts as absent */
async function eachElement(
  stream: JsonStream,
  place: Place,
  read: (place: Element) => Promise<void>,
): Promise<boolean> {
  const path = () => pathOf(place)
  if ((await stream.kind()) !== 'array') {
    const { field = '' } = place
    new JsonObject({ [field]: await readShown(stream, place) }, { ...place, field: '' }).optionalArray(field)
    return false
  }
  for await (const index of stream.elements(path)) await read({ ...place, index })
  return true
}

async function readPart(stream: JsonStream, place: Place): Promise<unknown> {
  const value = await stream.read({ path: () => pathOf(place), limit: longestPart, keepsFields: true })
  if (value === tooLong) throw new LoadRefused(place.file, `${pathOf(place)} is longer than ${longestPart} bytes`)
  return value
}

/** What stands in place of something else, for a message: of a large value only its kind. */
async function readShown(stream: JsonStream, place: Place): Promise<unknown> {
  const kind = await stream.kind()
  return kind === 'scalar' ? readPart(stream, place) : kind === 'array' ? [] : {}
}

function refuseOtherKind(root: JsonObject, fields: ReadonlySet<string>): never {
  const kind = fields.has('reporting_structure')
    ? 'this is a table of contents, which lists files of rates (load it with --toc)'
    : fields.has('out_of_network')
      ? 'this is a file of allowed amounts, not of negotiated rates'
      : 'this is not an in-network file'
  return root.refuse('in_network', `is missing: ${kind}`)
}
