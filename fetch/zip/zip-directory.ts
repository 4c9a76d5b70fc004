import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { ChunkReader } from '../chunk-reader.ts'
import { isRemote } from '../file-address.ts'
import type { FileToRead } from '../file-finder.ts'
import { LoadRefused } from '../load-refused.ts'
import {
  directoryHeader,
  isRateEntry,
  localHeader,
  maxEntries,
  readHeaders,
  sizeElsewhere,
  type ZipHeader,
} from './zip-format.ts'

/** An entry as the directory of its archive lists it. */
interface ListedEntry extends ZipHeader {
  /** Position of the header before the entry's data, in bytes. */
  readonly start: number
}

/** The entries that the directory of an archive lists, and its position in bytes. */
interface ZipDirectory {
  readonly entries: readonly ListedEntry[]
  readonly start: number
}

/** Signature of the end of a directory. Source: PKWARE APPNOTE 6.3, sections 4.3.14 to 4.3.16. */
const endMark = Buffer.from('PK\u0005\u0006', 'latin1')
const longestEnd = 22 + 0xffff
/** Signature of the locator in an archive of more than 4 GB. It precedes the end and has the position of a wide end. */
const locatorMark = Buffer.from('PK\u0006\u0007', 'latin1')
const [locatorLength, wideEndLength] = [20, 56]

/** Longest directory that is read, in bytes. */
const maxDirectoryBytes = 1 << 24

/**
 * Replaces a local zip archive of several rate files by its entries, because prices refer to provider groups within
 * their own file only. The path and identity of an entry are those of the archive, followed by `#` and its name.
 */
export async function splitZips(files: readonly FileToRead[]): Promise<readonly FileToRead[]> {
  const split: FileToRead[] = []
  for (const { path, identity } of files) {
    const directory = path === '-' || isRemote(path) ? undefined : await readDirectory(path)
    const names = new Set(directory?.entries.filter(isRates).map(encodeName))
    if (names.size < 2) split.push({ path, identity })
    else for (const name of names) split.push({ path: `${path}#${name}`, identity: `${identity}#${name}` })
  }
  return split
}

const isRates = ({ name }: ListedEntry) => isRateEntry(name)

const encodeName = ({ name }: ListedEntry) => encodeURIComponent(name)

/** An entry as an archive that contains nothing else. */
export interface ZipEntry {
  readonly name: string
  /** Path of the archive. */
  readonly archive: string
  readonly size: number
  /** The names of the entries that are no rate files, for the first rate file only, so that each is reported once. */
  readonly otherNames: readonly string[]
  readonly stream: Readable
}

/**
 * Opens an entry that `splitZips` named; undefined if there is no such archive or entry.
 *
 * @throws LoadRefused if the archive lists the entry twice, or another entry with the same data
 */
export async function openZipEntry(path: string): Promise<ZipEntry | undefined> {
  const hash = path.lastIndexOf('#')
  const zip = path.slice(0, Math.max(hash, 0))
  const directory = await readDirectory(zip)
  const rates = directory?.entries.filter(isRates) ?? []
  const [entry, ...namesakes] = rates.filter((candidate) => encodeName(candidate) === path.slice(hash + 1))
  if (directory === undefined || entry === undefined) return undefined
  const { entries } = directory
  if (namesakes.length > 0) throw new LoadRefused(path, 'is twice in its zip archive')
  if (entries.some((other) => other !== entry && other.start === entry.start))
    throw new LoadRefused(path, 'has its data in common with another entry of its zip archive')
  const starts = [...entries.map(({ start }) => start), directory.start].sort((a, b) => a - b)
  const end = starts.find((start) => start > entry.start) ?? entry.start
  return {
    name: entry.name,
    archive: zip,
    size: end - entry.start + entry.bytes.length,
    otherNames: entry === rates[0] ? entries.filter((other) => !isRates(other)).map(({ name }) => name) : [],
    stream: Readable.from(readEntry(zip, entry, end)),
  }
}

/** Reads the entry, followed by a directory that lists only this one. */
async function* readEntry(zip: string, { start, bytes }: ListedEntry, end: number): AsyncGenerator<Buffer> {
  yield* readRange(zip, start, end - start)
  yield bytes
}

/** Reads the directory of a local archive; undefined if the file is no archive or its directory is broken. */
async function readDirectory(path: string): Promise<ZipDirectory | undefined> {
  try {
    const { size } = await stat(path)
    const { signature } = localHeader
    const isZip = (await readWhole(path, 0, signature.length)).equals(signature)
    const position = isZip ? await findDirectory(path, size) : undefined
    if (position === undefined) return undefined
    const entries: ListedEntry[] = []
    const reader = new ChunkReader(readRange(path, position.start, position.size))
    for await (const header of readHeaders(reader, directoryHeader))
      if (entries.push({ ...header, start: startOf(header) }) > maxEntries) return undefined
    return { entries, start: position.start }
  } catch {
    // Reading the file as a stream will report what is wrong with it.
    return undefined
  }
}

async function findDirectory(path: string, fileSize: number) {
  const tailStart = Math.max(0, fileSize - longestEnd)
  const tail = await readWhole(path, tailStart, fileSize - tailStart)
  const at = tail.lastIndexOf(endMark)
  if (at < 0) return undefined
  const locator = at - locatorLength
  const isWide = locator >= 0 && tail.subarray(locator).indexOf(locatorMark) === 0
  const end = isWide
    ? await readWhole(path, Number(tail.readBigUInt64LE(locator + 8)), wideEndLength)
    : tail.subarray(at)
  const [size, start] = isWide
    ? [Number(end.readBigUInt64LE(40)), Number(end.readBigUInt64LE(48))]
    : [end.readUInt32LE(12), end.readUInt32LE(16)]
  return size <= maxDirectoryBytes && start + size <= fileSize ? { size, start } : undefined
}

/**
 * Returns the position of an entry's header, which is in the extra field in an archive of more than 4 GB. Source:
 * APPNOTE 6.3, section 4.5.3.
 */
function startOf({ bytes, extra, packedSize, size }: ZipHeader): number {
  const start = bytes.readUInt32LE(42)
  if (start !== sizeElsewhere) return start
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue
    const wideSizes = [packedSize, size].filter((field) => field === sizeElsewhere)
    return Number(extra.readBigUInt64LE(at + 4 + 8 * wideSizes.length))
  }
  return start
}

async function* readRange(path: string, start: number, length: number): AsyncGenerator<Buffer> {
  yield* createReadStream(path, { start, end: start + length - 1, highWaterMark: 1 << 20 })
}

const readWhole = async (path: string, start: number, length: number) =>
  Buffer.concat(await Array.fromAsync(readRange(path, start, length)))
