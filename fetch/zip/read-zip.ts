import { crc32, createInflateRaw, type InflateRaw } from 'node:zlib'
import { type ChunkReader, EndsEarly } from '../chunk-reader.ts'
import { codeOf } from '../error-code.ts'
import { FileFault } from '../load-refused.ts'
import { inflate64, NotDeflate64 } from './deflate64.ts'
import {
  directoryHeader,
  isRateEntry,
  localHeader,
  maxEntries,
  readHeaders,
  sizeElsewhere,
  type ZipHeader,
} from './zip-format.ts'

/** Flags of an entry: it is encrypted; its sizes follow its data. */
const [isEncrypted, sizesFollow] = [0b1, 0b1000]
const methodOfStored = 0
/** Unpackers by method of packing. Each reads up to the end of the data. */
const unpackers: Readonly<Record<number, (reader: ChunkReader) => AsyncGenerator<Buffer>>> = {
  8: inflate,
  9: inflate64,
}
/** Deflate compresses at most 1,032 to 1, so one chunk never expands to more than 64 MiB. */
const packedChunk = 1 << 16
/** Lengths of the sizes behind the data of an entry: with or without a signature, 4 or 8 bytes for each size. */
const descriptorLengths = [12, 16, 20, 24]

/** Choice of an archive's rate file, and callbacks for its other entries. */
export interface ZipWatch {
  /** Chooses the entry by its name. @default - a rate file */
  readonly isWanted?: ((name: string) => boolean) | undefined
  /** Called for an entry that is no rate file, which is skipped. */
  readonly onOther: (name: string) => void
  /** Called for each chunk that had to be unpacked to skip it. */
  readonly onSkipped: (chunk: Buffer) => void
}

/**
 * Unpacks the only rate file of a zip archive, or the only entry that `watch.isWanted` chooses, as a stream.
 *
 * @throws FileFault if there is a second one, a wrong checksum, or no directory after the entries
 */
export async function* readZip(reader: ChunkReader, watch: ZipWatch): AsyncGenerator<Buffer> {
  try {
    yield* readArchive(reader, watch)
  } catch (cause) {
    if (cause instanceof EndsEarly) throw new FileFault('is cut short: its zip archive does not end')
    if (!(cause instanceof NotDeflate64 || codeOf(cause).startsWith('Z_'))) throw cause
    throw new FileFault('is not whole: its zip entry cannot be unpacked', { cause })
  }
}

async function* readArchive(reader: ChunkReader, watch: ZipWatch): AsyncGenerator<Buffer> {
  const checksums: (number | undefined)[] = []
  const { isWanted = isRateEntry } = watch
  let rateFile: string | undefined
  let isOffice = false
  for await (const header of readHeaders(reader, localHeader)) {
    if (checksums.length === maxEntries) throw new FileFault(`is a zip archive of more than ${maxEntries} files`)
    const isRates = isWanted(header.name)
    if (isRates && rateFile !== undefined) throw new FileFault(severalFiles)
    if (isRates) rateFile = header.name
    else watch.onOther(header.name)
    if (header.name === '[Content_Types].xml') isOffice = true
    checksums.push(yield* readEntry(reader, header, { isRates, watch }))
  }
  if (rateFile === undefined && isOffice)
    throw new FileFault('is an Office document (.xlsx), not JSON: look for the JSON file that the payer publishes')
  if (rateFile === undefined) throw new FileFault(`is a zip archive without a ${watch.isWanted ? 'data' : 'rate'} file`)
  await checkDirectory(reader, checksums)
}

const severalFiles =
  'is a zip archive of several rate files, which can be read only from a local file with an intact directory: download or unpack it'

/** Yields an entry if it has rates, and skips it otherwise. @returns its checksum; undefined if it was not unpacked */
async function* readEntry(
  reader: ChunkReader,
  { flags, method, packedSize }: ZipHeader,
  { isRates, watch }: { readonly isRates: boolean; readonly watch: ZipWatch },
): AsyncGenerator<Buffer, number | undefined> {
  const hasSize = (flags & sizesFollow) === 0 && packedSize !== sizeElsewhere
  if (!isRates && hasSize) {
    for await (const _ of reader.pass(packedSize));
    return undefined
  }
  if ((flags & isEncrypted) !== 0) throw new FileFault('is a zip archive with a password')
  const isStored = method === methodOfStored && hasSize
  const unpacked = isStored ? reader.pass(packedSize) : unpackers[method]?.(reader)
  if (unpacked === undefined)
    throw new FileFault(`is a zip archive packed by method ${method}, which is not read: unpack it first`)
  let checksum = 0
  for await (const chunk of unpacked) {
    checksum = crc32(chunk, checksum)
    if (isRates) yield chunk
    else watch.onSkipped(chunk)
  }
  if ((flags & sizesFollow) !== 0) await passDescriptor(reader)
  return checksum
}

/** Unpacks up to the end of the deflated data and leaves the bytes after it in the reader. */
async function* inflate(reader: ChunkReader): AsyncGenerator<Buffer> {
  const inflater = createInflateRaw({ chunkSize: 1 << 18 })
  const unpacked: Buffer[] = []
  inflater.on('data', (chunk: Buffer) => unpacked.push(chunk))
  let length = 0
  while (inflater.bytesWritten === length) {
    const chunk = await reader.next(packedChunk)
    if (chunk.length === 0) throw new EndsEarly()
    length += chunk.length
    await write(inflater, chunk)
    yield* unpacked.splice(0)
    // The inflater does not consume bytes beyond the end of the data.
    if (inflater.bytesWritten < length) reader.putBack(chunk.subarray(chunk.length - length + inflater.bytesWritten))
  }
  inflater.close()
}

function write(inflater: InflateRaw, chunk: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    inflater.once('error', reject)
    inflater.write(chunk, (error) => {
      inflater.off('error', reject)
      if (error) reject(error)
      else resolve()
    })
  })
}

/** Passes the sizes behind an entry, up to the signature of the next header. */
async function passDescriptor(reader: ChunkReader): Promise<void> {
  const after = await reader.peek(Math.max(...descriptorLengths) + localHeader.signature.length)
  const isMark = (at: number) =>
    [localHeader, directoryHeader].some(({ signature }) => after.subarray(at, at + signature.length).equals(signature))
  const length = descriptorLengths.find(isMark)
  if (length === undefined) throw new EndsEarly()
  await reader.take(length)
}

/** Checks that the directory lists these entries, in any order, and reads the archive to its end. */
async function checkDirectory(reader: ChunkReader, checksums: readonly (number | undefined)[]): Promise<void> {
  const listedChecksums = new Set<number>()
  let missing = checksums.length
  for await (const { checksum } of readHeaders(reader, directoryHeader)) {
    listedChecksums.add(checksum)
    if (--missing === 0) break
  }
  if (missing > 0) throw new EndsEarly()
  if (checksums.some((checksum) => checksum !== undefined && !listedChecksums.has(checksum)))
    throw new FileFault('is not whole: its zip entry has another checksum than its directory says')
  for await (const _ of reader.rest());
}
