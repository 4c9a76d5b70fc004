import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { isRemote } from '../file-address.ts'
import type { FileToRead } from '../file-finder.ts'
import { LoadRefused } from '../load-refused.ts'
import { directoryEnd, directoryHeader, isRateEntry, localHeader, maxEntries, sizeElsewhere } from './zip-format.ts'

/** An entry of a local archive as its directory lists it. */
interface ListedEntry {
  readonly name: string
  /** Where its data begin, and where those of the next entry or the directory do. */
  readonly start: number
  readonly end: number
  /** What the directory says of it. */
  readonly header: Buffer
}

/** Longest directory that is read. */
const maxDirectoryBytes = 1 << 24

/**
 * Takes each rate file of a local zip archive of several as a file of its own, since what its prices refer to is known
 * within one file only. Its path and identity are the archive's with `#` and the entry's name.
 */
export async function splitZips(files: readonly FileToRead[]): Promise<readonly FileToRead[]> {
  const split: FileToRead[] = []
  for (const file of files) {
    const names = await listRateEntries(file.path)
    if (names.size < 2) split.push(file)
    else for (const part of names) split.push({ path: `${file.path}#${part}`, identity: `${file.identity}#${part}` })
  }
  return split
}

async function listRateEntries(path: string): Promise<ReadonlySet<string>> {
  const entries = path === '-' || isRemote(path) ? [] : await listEntries(path)
  return new Set(entries.flatMap(({ name }) => (isRateEntry(name) ? [encodeURIComponent(name)] : [])))
}

/** An entry as an archive of its own. */
export interface ZipEntry {
  readonly name: string
  readonly size: number
  /** The names of the entries that are no rate files, with the first that is one. */
  readonly others: readonly string[]
  readonly stream: Readable
}

/**
 * Finds an entry that `splitZips` named.
 *
 * @throws LoadRefused if the archive lists it in two ways
 */
export async function openZipEntry(path: string): Promise<ZipEntry | undefined> {
  const mark = path.lastIndexOf('#')
  const zip = path.slice(0, Math.max(mark, 0))
  const part = path.slice(mark + 1)
  const entries = await listEntries(zip)
  const rates = entries.filter(({ name }) => isRateEntry(name))
  const [entry, ...more] = rates.filter(({ name }) => encodeURIComponent(name) === part)
  if (entry === undefined) return undefined
  if (more.length > 0) throw new LoadRefused(path, 'is twice in its zip archive')
  const { start, end, header } = entry
  if (entries.some((other) => other !== entry && other.start === start))
    throw new LoadRefused(path, 'has its data in common with another entry of its zip archive')
  const others = entry === rates[0] ? entries.flatMap(({ name }) => (isRateEntry(name) ? [] : [name])) : []
  const stream = Readable.from(readEntry(zip, entry))
  return { name: entry.name, size: end - start + header.length, others, stream }
}

async function* readEntry(zip: string, { start, end, header }: ListedEntry): AsyncGenerator<Buffer> {
  yield* createReadStream(zip, { start, end: end - 1, highWaterMark: 1 << 20 })
  yield header
}

/** Lists the entries of a local archive; none of another file, and of an archive without a sound directory. */
async function listEntries(path: string): Promise<readonly ListedEntry[]> {
  const file = await open(path).catch(() => undefined)
  if (file === undefined) return []
  try {
    const { size } = await file.stat()
    const isZip = (await readAt(file, 0, localHeader.mark.length)).equals(localHeader.mark)
    const directory = isZip ? await findDirectory(file, size) : undefined
    if (directory === undefined) return []
    const headers = splitDirectory(await readAt(file, directory.start, directory.size))
    const starts = headers.map(startOf)
    const bounds = [...new Set([...starts, directory.start])].sort((a, b) => a - b)
    const ends = new Map(bounds.map((start, index) => [start, bounds[index + 1] ?? start]))
    return headers.map((header, index) => {
      const start = starts[index] ?? 0
      return { name: nameOf(header), start, end: ends.get(start) ?? start, header }
    })
  } catch {
    // The stream finds out what is wrong with it.
    return []
  } finally {
    await file.close()
  }
}

async function findDirectory(file: FileHandle, size: number) {
  const tailStart = Math.max(0, size - directoryEnd.longest)
  const tail = await readAt(file, tailStart, size - tailStart)
  const at = tail.lastIndexOf(directoryEnd.mark)
  if (at < 0) return undefined
  const found = { size: tail.readUInt32LE(at + directoryEnd.size), start: tail.readUInt32LE(at + directoryEnd.start) }
  const locator = at - directoryEnd.locatorLength
  if (locator >= 0 && tail.subarray(locator).indexOf(directoryEnd.locatorMark) === 0) {
    const wide = await readAt(file, Number(tail.readBigUInt64LE(locator + 8)), 56)
    found.size = Number(wide.readBigUInt64LE(40))
    found.start = Number(wide.readBigUInt64LE(48))
  }
  return found.size <= maxDirectoryBytes && found.start + found.size <= size ? found : undefined
}

function splitDirectory(directory: Buffer): readonly Buffer[] {
  const headers: Buffer[] = []
  for (let at = 0; directory.subarray(at, at + 4).equals(directoryHeader.mark) && headers.length <= maxEntries; ) {
    const lengths = directoryHeader.lengths.map((field) => directory.readUInt16LE(at + field))
    const length = lengths.reduce((sum, each) => sum + each, directoryHeader.length)
    headers.push(directory.subarray(at, at + length))
    at += length
  }
  return headers.length > maxEntries ? [] : headers
}

const nameOf = (header: Buffer) =>
  header.toString(
    'utf8',
    directoryHeader.length,
    directoryHeader.length + header.readUInt16LE(directoryHeader.lengths[0]),
  )

/** Where an entry begins; in an archive of more than 4 GB its extra field says it. Source: APPNOTE 6.3, section 4.5.3. */
function startOf(header: Buffer): number {
  const start = header.readUInt32LE(directoryHeader.start)
  if (start !== sizeElsewhere) return start
  const [nameLength = 0, extraLength = 0] = directoryHeader.lengths.map((field) => header.readUInt16LE(field))
  const end = directoryHeader.length + nameLength + extraLength
  for (let at = directoryHeader.length + nameLength; at + 4 <= end; at += 4 + header.readUInt16LE(at + 2)) {
    if (header.readUInt16LE(at) !== 1) continue
    const before = [directoryHeader.packedSize, directoryHeader.size].filter(
      (field) => header.readUInt32LE(field) === sizeElsewhere,
    )
    return Number(header.readBigUInt64LE(at + 4 + 8 * before.length))
  }
  return start
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  const { bytesRead } = await file.read(buffer, 0, length, position)
  return buffer.subarray(0, bytesRead)
}
