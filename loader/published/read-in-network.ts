import type { Place } from '../json/json-object.ts'
import { pathOf } from '../json/json-object.ts'
import type { JsonStream } from '../json/json-stream.ts'
import { tooLong } from '../json/json-stream.ts'
import { LoadRefused } from '../load-refused.ts'
import type { PlainVisitor } from '../plain/visit-plain-item.ts'
import { readPlainRate, visitPlainItem } from '../plain/visit-plain-item.ts'
import type { Findings } from './findings.ts'
import type { FileHeader, InNetworkItem, NegotiatedRate, ProviderGroup, ProviderReference } from './in-network-file.ts'
import {
  headerFields,
  lacksPlan,
  readFileHeader,
  readItem,
  readNegotiatedRate,
  readProviderGroup,
  readProviderReference,
} from './in-network-file.ts'
import { countParsedPrices, countPrices, isPassed } from './passed-items.ts'
import type { BillingCode } from './published-code.ts'
import { PublishedObject } from './published-object.ts'

/** Receives the parts of an in-network file in file order. An unusable part is undefined. */
export interface InNetworkVisitor {
  /** Receives the groups of the next reference, in several calls if there are many. */
  groups(groups: Iterable<ProviderGroup | undefined>): void
  /** @param index of the reference in the file */
  reference(reference: ProviderReference | undefined, index: number): Promise<void> | void
  /** Whether items with this code are wanted; absent if all are. */
  readonly isWanted?: ((code: BillingCode) => boolean) | undefined
  /** Called before each item. */
  beforeItem?(): Promise<void> | undefined
  /** Called before each rate of an item that is too long to be read at once. */
  beforeLongRate?(): Promise<void> | undefined
  /** @param index of the item in the file; its rates come before it or after it */
  item(item: InNetworkItem | undefined, index: number): void
  /**
   * @param item index of the rate's item in the file
   * @param index of the rate in the item
   */
  rate(rate: NegotiatedRate | undefined, item: number, index: number): void
  /** Whether a file that says nothing of a plan before its rates is refused. */
  readonly needsPlan?: boolean | undefined
  /** Called for an item that is not wanted, after its prices were skipped. */
  passItem(priceCount: number): void
  /** Takes rates that are read from their bytes; absent if all are to be parsed. */
  readonly plain?: PlainVisitor
}

/** What is read, and where its findings are counted. */
export interface Reading {
  readonly stream: JsonStream
  readonly visitor: InNetworkVisitor
  readonly findings: Findings
}

/** Parts up to this many bytes are parsed at once; the long array in a larger one is read element by element. */
const wholePart = 1 << 22

/** Maximum length in bytes of a part that is not read element by element. */
const maxPartBytes = 1 << 23

/** The same of elements that may have long lists of their own: NPIs, or inline groups. */
const maxElementBytes = 1 << 25

/** Maximum length in bytes of a field of the root: a source keeps them, which is one item of DynamoDB (400 KB). */
const maxRootBytes = 10_000

/** Maximum number of fields of the root, or of a part that is read field by field. */
const maxFields = 10_000

/** Number of a large reference's groups per call of the visitor. */
const groupsPerCall = 1000

/**
 * Reads an in-network file of any size from its stream, with one part in memory at a time.
 *
 * @returns the fields of the root
 * @throws LoadRefused if it is not JSON, is another kind of file, or its structure is not that of an in-network file
 */
export async function readInNetwork(
  stream: JsonStream,
  file: string,
  visitor: InNetworkVisitor,
  findings: Findings,
): Promise<FileHeader> {
  const header: Record<string, unknown> = {}
  const seen = new Set<string>()
  const reading = { stream, visitor, findings }
  const kind = await stream.kind()
  if (kind !== 'object') throw new LoadRefused(file, `the file must be an object, not ${nameOf(kind)}`)
  let hasItems = false
  for await (const field of stream.fields(() => '')) {
    const place = { file, field }
    refuseRepetition(seen, place)
    if (visitor.needsPlan && lacksPlan(field, seen))
      throw new LoadRefused(file, 'names no plan (no plan_name before its rates): name it with --plan')
    if (field === 'in_network')
      hasItems = await eachElement(stream, place, (element) => readInNetworkItem(reading, element))
    else if (field === 'provider_references')
      await eachElement(stream, place, (element) => readReference(reading, element))
    else if (headerFields.has(field)) header[field] = await readPart(stream, place, maxRootBytes)
    else await stream.skip(() => field)
  }
  await stream.finish()
  if (!hasItems) refuseOtherKind(file, seen)
  const root = PublishedObject.read(header, { file }, findings)
  if (root === undefined) throw new Error('a header is an object')
  return readFileHeader(root)
}

export type Element = Place & { readonly index: number }

async function readReference({ stream, visitor, findings }: Reading, place: Element): Promise<void> {
  const path = () => pathOf(place)
  const whole = await stream.read({ path, limit: wholePart, keepsFields: true })
  if (whole !== tooLong) {
    const object = PublishedObject.readCounting(whole, place, findings, 'unfit-reference')
    const reference = object && readProviderReference(object)
    visitor.groups(reference?.groups ?? [])
    return visitor.reference(reference, place.index)
  }
  const batch: (ProviderGroup | undefined)[] = []
  const fields = await readLongPart(stream, place, 'provider_groups', async (at) => {
    const element = await readPart(stream, at, maxElementBytes)
    batch.push(readProviderGroup(PublishedObject.readCounting(element, at, findings, 'unfit-group')))
    if (batch.length === groupsPerCall) visitor.groups(batch.splice(0))
  })
  visitor.groups(batch)
  const object = PublishedObject.readCounting(fields, place, findings, 'unfit-reference')
  return visitor.reference(object && readProviderReference(object), place.index)
}

async function readInNetworkItem(reading: Reading, place: Element): Promise<void> {
  const ready = reading.visitor.beforeItem?.()
  if (ready !== undefined) await ready
  if (await visitPlainItem(reading, place, wholePart)) return
  const { stream, visitor, findings } = reading
  const { index } = place
  const whole = await stream.read({ path: () => pathOf(place), limit: wholePart })
  let rates = 0
  const takeRate = (rate: PublishedObject | undefined) => visitor.rate(rate && readNegotiatedRate(rate), index, rates++)
  if (whole !== tooLong) {
    const object = PublishedObject.readCounting(whole, place, findings, 'unfit-item')
    const list = object?.array('negotiated_rates') ?? []
    if (isPassed(whole, visitor))
      return visitor.passItem(list.reduce<number>((sum, rate) => sum + countParsedPrices(rate), 0))
    visitor.item(object && readItem(object), index)
    for (const rate of object?.objects('negotiated_rates', list, 'unfit-rates') ?? []) takeRate(rate)
    return
  }
  let passes: boolean | undefined
  let passed = 0
  const fields = await readLongPart(stream, place, 'negotiated_rates', async (at, fieldsBefore) => {
    // Known only if the code comes before the rates; otherwise they are dropped once the item is known.
    passes ??= isPassed(fieldsBefore, visitor)
    const ready = visitor.beforeLongRate?.()
    if (ready !== undefined) await ready
    const plain = await readPlainRate(reading, at)
    if (plain !== undefined) {
      if (passes) passed += countPrices(plain)
      else visitor.plain?.rate(plain, at, index, rates++)
      return
    }
    const element = await readPart(stream, at, maxElementBytes)
    if (passes) passed += countParsedPrices(element)
    else takeRate(PublishedObject.readCounting(element, at, findings, 'unfit-rates'))
  })
  if (passes) return visitor.passItem(passed)
  const object = PublishedObject.readCounting(fields, place, findings, 'unfit-item')
  visitor.item(object && readItem(object), index)
}

/**
 * Reads an object that is too long to be parsed at once. Duplicate names refuse the file: `JSON.parse` would keep the
 * last value, but here the first long array has already been loaded.
 *
 * @param take reads each element of the long array; it receives the fields that come before the array
 * @returns the object with an empty array in place of the long one
 */
async function readLongPart(
  stream: JsonStream,
  place: Element,
  long: string,
  take: (place: Element, fieldsBefore: Readonly<Record<string, unknown>>) => Promise<void>,
): Promise<unknown> {
  // Without a prototype, so that `__proto__` is an ordinary field.
  const fields: Record<string, unknown> = Object.create(null)
  const parent = { path: pathOf(place) }
  const seen = new Set<string>()
  if ((await stream.kind()) !== 'object') {
    await stream.skip(() => parent.path)
    return undefined
  }
  for await (const field of stream.fields(() => parent.path)) {
    const within = { file: place.file, parent, field }
    refuseRepetition(seen, within)
    if (field !== long) fields[field] = await readPart(stream, within)
    else if ((await stream.kind()) === 'array') {
      for await (const index of stream.elements(() => pathOf(within))) await take({ ...within, index }, fields)
      fields[field] = []
    } else await stream.skip(() => pathOf(within))
  }
  return fields
}

/** @returns whether there is an array; null is treated as absent */
async function eachElement(
  stream: JsonStream,
  place: Place,
  read: (place: Element) => Promise<void>,
): Promise<boolean> {
  const path = () => pathOf(place)
  const kind = await stream.kind()
  if (kind === 'array') for await (const index of stream.elements(path)) await read({ ...place, index })
  else if (kind === 'object' || (await readPart(stream, place)) !== null)
    throw new LoadRefused(place.file, `${path()} must be an array, not ${nameOf(kind)}`)
  return kind === 'array'
}

async function readPart(stream: JsonStream, place: Place, limit = maxPartBytes): Promise<unknown> {
  const value = await stream.read({ path: () => pathOf(place), limit, keepsFields: true })
  if (value === tooLong)
    throw new LoadRefused(
      place.file,
      `${pathOf(place)} is longer than ${limit} bytes${limit > maxPartBytes ? ', or has too many parts' : ''}`,
    )
  return value
}

function refuseRepetition(seen: Set<string>, place: Place): void {
  if (seen.has(place.field ?? '')) throw new LoadRefused(place.file, `${pathOf(place)} is in the file twice`)
  if (seen.size === maxFields)
    throw new LoadRefused(place.file, `${place.parent?.path ?? 'the file'} has more than ${maxFields} fields`)
  seen.add(place.field ?? '')
}

const nameOf = (kind: 'object' | 'array' | 'scalar') =>
  ({ object: 'an object', array: 'an array', scalar: 'a single value' })[kind]

function refuseOtherKind(file: string, fields: ReadonlySet<string>): never {
  const kind = fields.has('reporting_structure')
    ? 'this is a table of contents, which lists files of rates (load it with --toc)'
    : fields.has('out_of_network')
      ? 'this is a file of allowed amounts, not of negotiated rates'
      : 'this is not an in-network file'
  throw new LoadRefused(file, `in_network is missing: ${kind}`)
}
