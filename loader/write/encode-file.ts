import type { LoadFilter } from '../../core/catalogue/load-filter.ts'
import type { CodeName } from '../../core/vocabulary/code-names.ts'
import { findLocationFault, identifyAddress, resolveLocation } from '../../fetch/file-address.ts'
import type { FileFinder } from '../../fetch/file-finder.ts'
import { FileFault, nameFile } from '../../fetch/load-refused.ts'
import { openPublishedBytes, type ReadingOptions } from '../../fetch/published-bytes.ts'
import type { WarehouseTable } from '../../schema/columns/warehouse-tables.ts'
import { PriceCollector } from '../collect/price-collector.ts'
import { ProviderCollector } from '../collect/provider-collector.ts'
import { readInNetwork } from '../collect/read-in-network.ts'
import { createRowFilter } from '../collect/row-filter.ts'
import { findDateFinding } from '../collect/stored-value.ts'
import { type Finding, Findings } from '../decode/findings.ts'
import type { FileHeader } from '../decode/in-network-file.ts'
import { JsonStream } from '../decode/json/json-stream.ts'
import { readReferenceFile } from '../decode/reference-file.ts'
import { parsePublishedDate } from '../decode/values/published-date.ts'
import { type FileCounts, FilePortions, type PortionSizes, portionSizes } from './file-portions.ts'
import { FileWatch } from './file-watch.ts'
import type { Machine } from './machine.ts'
import { refuseSkipped, SkippedWatch } from './refuse-skipped.ts'

/** Where the tables of a file are written. */
export interface TableFiles {
  /** A folder for temporary files. */
  readonly scratch: string
  /** Returns the local path to write a file of a table to, in a folder that exists. @param index from 0, the default */
  fileOf(table: WarehouseTable, index?: number): string
}

/** Options for the encoding of a file. */
export interface EncodeOptions extends Omit<ReadingOptions, 'onRead' | 'onText'> {
  /** Finds the files that the file points to. */
  readonly finder: FileFinder
  /** True if files that the file points to may be missing. */
  readonly partial: boolean
  /** Maximum share of prices, items, provider groups or NPIs that may be skipped, from 0 to 1. */
  readonly maxSkipped: number
  /** True to refuse the file at the first value that is lost or has the wrong type. */
  readonly strict: boolean
  /** True to read a file of a newer schema version. */
  readonly assumesVersion?: boolean | undefined
  /** True to omit names and descriptions of items. */
  readonly withoutDescriptions?: boolean | undefined
  /** Keeps a part of the rates; all if absent. */
  readonly filter?: LoadFilter | undefined
  /** True to parse every price. This is slower, and the reference for tests of the faster way. */
  readonly parsesAll?: boolean | undefined
  /** Overrides the sizes of portions, for tests. */
  readonly sizes?: Partial<PortionSizes> | undefined
  readonly machine: Machine
  /** Seconds of processor time that the file may take for each megabyte of its JSON text. @default `defaultMaxCpu` */
  readonly maxCpu?: number | undefined
  readonly onProgress?: ((progress: FileProgress) => void) | undefined
}

export interface FileProgress {
  readonly bytesRead: number
  /** Undefined if the file comes through a pipe. */
  readonly size: number | undefined
  readonly prices: number
  /** True if the whole file is read, and the tables are being written. */
  readonly isRead: boolean
}

/** A file whose tables are written. */
export interface EncodedFile extends FileCounts {
  /** Base name without a query string. */
  readonly name: string
  /** Packed size. */
  readonly bytes: number
  /** The strong entity tag of a remote file. */
  readonly etag: string | undefined
  /** SHA-256 of the packed file, in hex. */
  readonly packedHash: string
  /** SHA-256 of the JSON text, in hex. */
  readonly contentHash: string
  readonly header: FileHeader
  readonly networks: readonly string[]
  /** `YYYY-MM-DD`; undefined if the file states none that can be read. */
  readonly lastUpdatedOn: string | undefined
  /** True if files that it points to were missing. */
  readonly partial: boolean
  /** The other files that were read because it points to them. */
  readonly references: readonly { readonly identity: string; readonly contentHash: string }[]
  /** A name of each code, unless names and descriptions were omitted. */
  readonly codeNames: readonly CodeName[]
  readonly findings: readonly Finding[]
}

/**
 * Reads one file and writes its tables.
 *
 * @throws LoadRefused if the file's structure is not that of an in-network file, or too many of its values are unusable
 */
export function encodeFile(path: string, files: TableFiles, options: EncodeOptions): Promise<EncodedFile> {
  return nameFile(path, () => encodeTables(path, files, options))
}

async function encodeTables(path: string, files: TableFiles, options: EncodeOptions): Promise<EncodedFile> {
  const { scratch: folder, fileOf } = files
  const { parsesAll, assumesVersion, withoutDescriptions } = options
  const { newSeed } = options.machine
  const watch = new FileWatch(path, options)
  const reading = { ...options, onText: (bytes: number) => watch.noteText(bytes) }
  const findings = new Findings(options.strict)
  const filter = createRowFilter(options.filter)
  using providers = new ProviderCollector(folder, findings, filter, newSeed)
  const prices = new PriceCollector(providers, findings, filter, { newSeed, withoutDescriptions })
  const sizes = { ...portionSizes, ...options.sizes }
  const portions = new FilePortions({ folder, prices, providers, fileOf, sizes, newSeed, watch })
  const linked = new Map<string, string>()
  const tell = (bytesRead: number, size: number | undefined, isRead = false) =>
    options.onProgress?.({ bytesRead, size, isRead, prices: prices.published })
  await using published = await openPublishedBytes(path, { ...reading, onRead: tell })
  const stream = new JsonStream(published.chunks, (value) => findings.count('not-utf8', value))
  const skipped = new SkippedWatch(findings, options.maxSkipped)
  const header = await readInNetwork({
    ...{ stream, findings, prices, providers, parsesAll, assumesVersion },
    makeRoom() {
      watch.notePart()
      skipped.look((published.mostText ?? Number.POSITIVE_INFINITY) - stream.position)
      return portions.makeRoom()
    },
    makeRoomForReferences() {
      watch.notePart()
      return portions.makeRoomForReferences()
    },
    async follow(written, place) {
      const location = resolveLocation(written, published.address)
      const linkedPath = findLinkedFile(location, path, place, options)
      if (linkedPath === undefined) findings.count('missing-file', { path: identifyAddress(location) })
      else {
        const hash = await readReferenceFile(linkedPath, providers.referenceGroups.store, findings, reading)
        linked.set(identifyAddress(location), hash)
      }
      return linkedPath !== undefined
    },
  })
  const lastUpdatedOn = readLastUpdatedOn(header, findings)
  for (const oddity of published.oddities()) findings.add(oddity)
  tell(published.bytesRead(), published.size, true)
  const counts = await portions.end(findings)
  refuseSkipped(findings, options.maxSkipped, counts)
  const allFindings = findings.list()
  return {
    ...{ name: published.name, bytes: published.bytesRead(), etag: published.etag() },
    ...{ packedHash: published.packedHash(), contentHash: published.contentHash() },
    ...{ header, networks: [...providers.networks], lastUpdatedOn },
    partial: allFindings.some(({ rule }) => rule === 'missing-file'),
    references: [...linked].map(([identity, contentHash]) => ({ identity, contentHash })),
    ...counts,
    codeNames: prices.codeNames.list(),
    findings: allFindings,
  }
}

/** Reads the day that a file states; counts values that its header lacks. */
function readLastUpdatedOn(header: FileHeader, findings: Findings): string | undefined {
  const lastUpdatedOn = parsePublishedDate(header.lastUpdatedOn)
  const finding = findDateFinding(header.lastUpdatedOn, lastUpdatedOn)
  if (finding !== undefined) findings.count(finding, { path: 'last_updated_on' })
  if (header.reportingEntityName === undefined) findings.count('missing-entity', { path: 'reporting_entity_name' })
  return lastUpdatedOn
}

/**
 * Finds the file with the groups of a provider reference.
 *
 * @param place JSON path of the reference that points to the file
 * @returns undefined if the file is missing, and may be
 * @throws FileFault
 */
export function findLinkedFile(
  location: string,
  file: string,
  place: string,
  { finder, partial }: Pick<EncodeOptions, 'finder' | 'partial'>,
): string | undefined {
  const refuse = (fault: string): never => {
    throw new FileFault(`${place}.location ${fault}`)
  }
  const fault = findLocationFault(location)
  if (fault !== undefined) return refuse(fault)
  const search = finder.find(location, file)
  if (search.outcome === 'ambiguous') return refuse(`is ambiguous: ${search.reason}`)
  if (search.outcome === 'found') return search.path
  if (partial) return undefined
  const ways = 'put it beside the file, map it with --files, fetch it with --fetch, or use --partial'
  return refuse(`points to another file, which is not there: ${identifyAddress(location)} (${ways})`)
}
