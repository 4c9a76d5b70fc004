import { LoadRefused } from '../fetch/load-refused.ts'
import type { Findings } from './findings.ts'
import type { FileHeader } from './in-network-file.ts'
import {
  headerFields,
  lacksPlan,
  namingFields,
  readFileHeader,
  readItem,
  readProviderReference,
  requiredFields,
} from './in-network-file.ts'
import type { InNetworkVisitor, Reading } from './in-network-visitor.ts'
import { type Place, pathOf } from './json/json-object.ts'
import { type JsonStream, tooLong } from './json/json-stream.ts'
import { addProviderGroups } from './provider-groups.ts'
import { PublishedObject } from './published-object.ts'
import { type Element, eachElement, readLongObject, readValue, refuseRepetition } from './read-values.ts'
import { scanItems, scanRate, scanReferences, wholeObject } from './scan-elements.ts'
import { findVersionFault } from './schema-version.ts'
import { countPrices, isPassed, visitItem, visitRate } from './visit-item.ts'

/** What some publishers call `provider_references`. */
const otherName = 'provider_group_reference'

/** Maximum length in bytes of elements that may have long lists of their own: NPIs, or inline groups. */
const maxElementBytes = 1 << 25

/** Maximum length in bytes of a field of the root: a source keeps them, which is one item of DynamoDB (400 KB). */
const maxRootBytes = 10_000

/**
 * Reads an in-network file of any size from its stream, with one object in memory at a time.
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
  if ((await stream.kind()) === 'array') throw new LoadRefused(file, 'the file must be an object, not an array')
  let hasItems = false
  for await (const name of stream.fields(() => '')) {
    const field = name === otherName ? 'provider_references' : name
    const place = { file, field: name }
    refuseRepetition(seen, { file, field })
    if (name === otherName) findings.count('other-name', { path: name })
    if (visitor.needsPlan && lacksPlan(field, seen))
      throw new LoadRefused(file, 'names no plan (no plan_name before its rates): name it with --plan')
    if (field === 'in_network')
      hasItems = await eachElement(stream, place, (at) => readInNetworkItem(reading, at), scanItems(reading, place))
    else if (field === 'provider_references')
      await eachElement(stream, place, (at) => readReference(reading, at), scanReferences(reading))
    else if (field === 'version') checkVersion(await readRoot(reading, place), file, reading)
    else if (headerFields.has(field)) header[field] = await readRoot(reading, place)
    else {
      if (!requiredFields.includes(field)) findings.countUnknown('', field)
      await stream.skip(() => field)
    }
  }
  await stream.finish()
  if (!hasItems) refuseOtherKind(file, seen)
  const root = PublishedObject.read(header, { file }, findings)
  if (root === undefined) throw new Error('a header is an object')
  return readFileHeader(root)
}

/** Reads a field of the root. One that is too long to be kept is skipped and counted, unless it says whose rates these are. */
async function readRoot({ stream, findings }: Reading, place: Place & { readonly field: string }): Promise<unknown> {
  if (namingFields.has(place.field)) return readValue(stream, place, maxRootBytes)
  const path = () => place.field
  const value = await stream.read({ path, limit: maxRootBytes, keepsFields: true })
  if (value !== tooLong) return value
  findings.count('unreadable-value', { path: place.field })
  await stream.skip(path)
  return undefined
}

function checkVersion(version: unknown, file: string, { visitor, findings }: Reading): void {
  const fault = findVersionFault(version)
  if (fault === undefined) return
  if (!visitor.assumesVersion) throw new LoadRefused(file, fault)
  findings.count('assumed-version', { path: 'version' })
}

async function readReference(reading: Reading, place: Element): Promise<void> {
  const { stream, visitor, findings } = reading
  const path = () => pathOf(place)
  const whole = await stream.read({ path, limit: wholeObject, keepsFields: true })
  if (whole !== tooLong) {
    const object = PublishedObject.readCounting(whole, place, findings, 'unfit-reference')
    const reference = object && readProviderReference(object)
    const beside = object?.optionalText('business_name')
    const isUsed = addProviderGroups(reference?.groups ?? [], visitor.groups, findings, beside)
    if (isUsed) object?.count('name-beside', 'business_name')
    return visitor.reference(reference, place.index)
  }
  let beside: { readonly name: string | undefined } | undefined
  let [isUsed, isRead] = [false, false]
  const fields = await readLongObject(stream, place, 'provider_groups', async (at, before) => {
    const element = await readValue(stream, at, maxElementBytes)
    const group = PublishedObject.readCounting(element, at, findings, 'unfit-group')
    isRead = true
    if ('business_name' in before)
      beside ??= { name: PublishedObject.read(before, place, findings)?.optionalText('business_name') }
    isUsed = addProviderGroups([group], visitor.groups, findings, beside?.name) || isUsed
  })
  const object = PublishedObject.readCounting(fields, place, findings, 'unfit-reference')
  if (isUsed) object?.count('name-beside', 'business_name')
  return visitor.reference(object && readProviderReference(object, isRead), place.index)
}

async function readInNetworkItem(reading: Reading, place: Element): Promise<void> {
  const ready = reading.visitor.makeRoom?.()
  if (ready !== undefined) await ready
  const { stream, visitor, findings } = reading
  const whole = await stream.read({ path: () => pathOf(place), limit: wholeObject })
  if (whole !== tooLong) {
    const list = PublishedObject.read(whole, place, findings)?.array('negotiated_rates') ?? []
    const rates = list.map((value) => ({ kind: 'parsed', value }) as const)
    return visitItem(reading, whole, rates, place)
  }
  let passes: boolean | undefined
  let passed = 0
  const fields = await readLongObject(stream, place, 'negotiated_rates', async (at, fieldsBefore) => {
    // Known only if the code comes before the rates; otherwise they are dropped once the item is known.
    passes ??= isPassed(fieldsBefore, visitor)
    const ready = visitor.makeRoom?.()
    if (ready !== undefined) await ready
    const rate = (await scanRate(reading, at)) ?? {
      kind: 'parsed',
      value: await readValue(stream, at, maxElementBytes),
    }
    if (passes) passed += countPrices(rate)
    else visitRate(reading, rate, at, place.index)
  })
  if (passes) return visitor.passItem(passed)
  const object = PublishedObject.readCounting(fields, place, findings, 'unfit-item')
  visitor.item(object && readItem(object), place.index)
}

function refuseOtherKind(file: string, fields: ReadonlySet<string>): never {
  const kind = fields.has('reporting_structure')
    ? 'this is a table of contents, which lists files of rates (load it with --toc)'
    : fields.has('out_of_network')
      ? 'this is a file of allowed amounts, not of negotiated rates'
      : 'this is not an in-network file'
  throw new LoadRefused(file, `in_network is missing: ${kind}`)
}
