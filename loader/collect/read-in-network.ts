import { FileFault } from '../../fetch/load-refused.ts'
import type { Findings } from '../decode/findings.ts'
import {
  type FileHeader,
  headerFields,
  namingFields,
  readFileHeader,
  requiredFields,
} from '../decode/in-network-file.ts'
import type { Position } from '../decode/json/json-object.ts'
import { tooLong } from '../decode/json/json-stream.ts'
import { PublishedObject } from '../decode/published-object.ts'
import { readValue, refuseRepetition } from '../decode/read-values.ts'
import { findVersionFault } from '../decode/schema-version.ts'
import { readItems } from './read-items.ts'
import { readReferences } from './read-references.ts'
import type { Reading } from './reading.ts'

/** Another name that publishers give to `provider_references`. */
const otherName = 'provider_group_reference'

/** Maximum length in bytes of a field of the root. A source stores them in one item of DynamoDB, of 400 KB at most. */
const maxRootBytes = 10_000

/** The fields of the root, as far as the file has been read. */
export interface RootFields {
  /** The names of all fields. */
  readonly names: Set<string>
  /** The values of the fields that `readFileHeader` reads. */
  readonly header: Record<string, unknown>
}

export const newRoot = (): RootFields => ({ names: new Set(), header: {} })

/** Members of a reading that the fields of the root need. */
type RootReading = Pick<Reading, 'stream' | 'findings' | 'assumesVersion'>

/** Readers of the root's long lists. */
interface ListReaders {
  /** Returns true if the list of items is an array. */
  readItems(list: Position): Promise<boolean>
  readReferences(list: Position): Promise<void>
}

/**
 * Reads an in-network file of any size from its stream, with one object in memory at a time.
 *
 * @returns the fields of the root
 * @throws FileFault if the file is not JSON, or is not an in-network file
 */
export async function readInNetwork(reading: Reading): Promise<FileHeader> {
  const root = newRoot()
  await readFields(reading, root, {
    readItems: (list) => readItems(reading, list),
    readReferences: (list) => readReferences(reading, list),
  })
  return readRootHeader(root, reading.findings)
}

/**
 * Reads the fields of the root to the end of the file.
 *
 * @param root takes the fields
 * @throws FileFault as `readInNetwork`
 */
export async function readFields(reading: RootReading, root: RootFields, lists: ListReaders): Promise<void> {
  const { stream, findings } = reading
  const { names, header } = root
  if ((await stream.kind()) === 'array') throw new FileFault('the file must be an object, not an array')
  let hasItems = false
  for await (const name of stream.fields(() => '')) {
    const field = name === otherName ? 'provider_references' : name
    const position = { field: name }
    refuseRepetition(names, { field })
    if (name === otherName) findings.count('other-name', { path: name })
    if (field === 'in_network') hasItems = await lists.readItems(position)
    else if (field === 'provider_references') await lists.readReferences(position)
    else if (field === 'version') checkVersion(await readRoot(reading, position), reading)
    else if (headerFields.has(field)) header[field] = await readRoot(reading, position)
    else {
      if (!requiredFields.includes(field)) findings.countUnknown('', field)
      await stream.skip(() => field)
    }
  }
  await stream.finish()
  if (!hasItems) refuseOtherKind(names)
}

export function readRootHeader({ header }: RootFields, findings: Findings): FileHeader {
  const root = PublishedObject.read(header, {}, findings)
  if (root === undefined) throw new Error('a header is an object')
  return readFileHeader(root)
}

/**
 * Reads a field of the root. A field that is too long is skipped and counted, unless it says whose rates the file has.
 */
async function readRoot(
  { stream, findings }: RootReading,
  position: Position & { readonly field: string },
): Promise<unknown> {
  if (namingFields.has(position.field)) return readValue(stream, position, maxRootBytes)
  const path = () => position.field
  const value = await stream.read({ path, limit: maxRootBytes, keepsFields: true })
  if (value !== tooLong) return value
  findings.count('unreadable-value', { path: position.field })
  await stream.skip(path)
  return undefined
}

function checkVersion(version: unknown, { assumesVersion, findings }: RootReading): void {
  const fault = findVersionFault(version)
  if (fault === undefined) return
  if (!assumesVersion) throw new FileFault(fault)
  findings.count('assumed-version', { path: 'version' })
}

/** Refuses a file without rates. @throws FileFault with the kind of the file */
export function refuseOtherKind(fields: ReadonlySet<string>): never {
  throw new FileFault(`in_network is missing: ${describeKind(fields)}`)
}

function describeKind(fields: ReadonlySet<string>): string {
  if (fields.has('reporting_structure'))
    return 'this is a table of contents, which lists files of rates (load it with --toc)'
  if (fields.has('out_of_network')) return 'this is a file of allowed amounts, not of negotiated rates'
  return 'this is not an in-network file'
}
