import { crc32, createInflateRaw, type InflateRaw } from 'node:zlib'
import { ChunkReader } from '../chunk-reader.ts'
import { codeOf } from '../error-code.ts'
import { LoadRefused } from '../load-refused.ts'
import { inflate64, NotDeflate64 } from './deflate64.ts'
import { directoryHeader, isRateEntry, localHeader, maxEntries, sizeElsewhere } from './zip-format.ts'

const isEncrypted = 0b1
const sizesFollow = 0b1000
const [stored, deflated, deflated64] = [0, 8, 9]
/** Deflate compresses at most 1,032 to 1, so one chunk never expands to more than 64 MiB. */
const packedChunk = 1 << 16
/** Lengths of what may follow an entry whose sizes do: with and without a mark, of 4 or 8 bytes for each size. */
const descriptorLengths = [12, 16, 20, 24]

/** What is met in an archive besides its rate file. */
export interface ZipWatch {
  /** Chooses the entry by its name. @default - a rate file */
  readonly isWanted?: ((name: string) => boolean) | undefined
  /** Called for an entry that is no rate file, which is skipped. */
  readonly onOther: (name: string) => void
  /** Called for each chunk that had to be unpacked to skip it. */
  readonly onSkipped: (chunk: Buffer) => void
}

/**
 * Unpacks the only rate file of a zip archive, or the only entry that is wanted, as a stream. A second one, a wrong
 * checksum or a missing directory after it refuses the file.
 *
 * @throws LoadRefused
 */
export async function* readZip(chunks: AsyncIterator<Buffer>, path: string, watch: ZipWatch): AsyncGenerator<Buffer> {
  const reader = new ChunkReader(chunks, () => new LoadRefused(path, 'is cut short: its zip archive does not end'))
  const checksums: (number | undefined)[] = []
  const { isWanted = isRateEntry } = watch
  let found: string | undefined
  while (await isAtMark(reader, localHeader.mark)) {
    const header = await reader.take(localHeader.length)
    const name = (await reader.take(header.readUInt16LE(localHeader.nameLength))).toString()
    await reader.take(header.readUInt16LE(localHeader.extraLength))
    if (checksums.length === maxEntries)
      throw new LoadRefused(path, `is a zip archive of more than ${maxEntries} files`)
    const isRates = isWanted(name)
    if (isRates && found !== undefined) throw new LoadRefused(path, severalFiles)
    if (isRates) found = name
    else watch.onOther(name)
    const checksum = yield* readEntry(reader, header, { path, isRates, watch })
    checksums.push(checksum)
  }
  if (found === undefined)
    throw new LoadRefused(path, `is a zip archive without a ${watch.isWanted ? 'data' : 'rate'} file`)
  await checkDirectory(reader, checksums, path)
}

const severalFiles =
  'is a zip archive of several rate files: those are read of a local archive with a sound directory; download it, or unpack it'

/** @returns the checksum; undefined if the entry was passed over without unpacking it */
async function* readEntry(
  reader: ChunkReader,
  header: Buffer,
  { path, isRates, watch }: { readonly path: string; readonly isRates: boolean; readonly watch: ZipWatch },
): AsyncGenerator<Buffer, number | undefined> {
  const flags = header.readUInt16LE(localHeader.flags)
  const method = header.readUInt16LE(localHeader.method)
  const packedSize = header.readUInt32LE(localHeader.packedSize)
  const isCounted = (flags & sizesFollow) === 0 && packedSize !== sizeElsewhere
  if (!isRates && isCounted) {
    for await (const _ of reader.pass(packedSize));
    return undefined
  }
  if ((flags & isEncrypted) !== 0) throw new LoadRefused(path, 'is a zip archive with a password')
  const isPassed = method === stored && isCounted
  if (!isPassed && method !== deflated && method !== deflated64)
    throw new LoadRefused(path, `is a zip archive packed by method ${method}, which is not read: unpack it first`)
  let checksum = 0
  const unpacked = method === deflated ? inflate(reader) : method === deflated64 ? inflate64(reader) : undefined
  try {
    for await (const chunk of unpacked ?? reader.pass(packedSize)) {
      checksum = crc32(chunk, checksum)
      if (isRates) yield chunk
      else watch.onSkipped(chunk)
    }
  } catch (cause) {
    if (!(cause instanceof NotDeflate64 || codeOf(cause).startsWith('Z_'))) throw cause
    throw new LoadRefused(path, 'is not whole: its zip entry cannot be unpacked', { cause })
  }
  if ((flags & sizesFollow) !== 0) await passDescriptor(reader)
  return checksum
}

/** Unpacks up to the end of the deflated data and leaves what follows in the reader. */
async function* inflate(reader: ChunkReader): AsyncGenerator<Buffer> {
  const inflater = createInflateRaw({ chunkSize: 1 << 18 })
  const unpacked: Buffer[] = []
  inflater.on('data', (chunk: Buffer) => unpacked.push(chunk))
  let handed = 0
  while (inflater.bytesWritten === handed) {
    const chunk = await reader.next(packedChunk)
    handed += chunk.length
    await write(inflater, chunk)
    yield* unpacked.splice(0)
    // The inflater does not consume bytes beyond the end.
    if (inflater.bytesWritten < handed) reader.putBack(chunk.subarray(chunk.length - handed + inflater.bytesWritten))
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

async function isAtMark(reader: ChunkReader, mark: Buffer): Promise<boolean> {
  const head = await reader.takeUpTo(mark.length)
  reader.putBack(head)
  return head.equals(mark)
}

/** Passes the sizes behind an entry, up to the mark of what follows. */
async function passDescriptor(reader: ChunkReader): Promise<void> {
  const after = await reader.takeUpTo(Math.max(...descriptorLengths) + localHeader.mark.length)
  const isMark = (at: number) =>
    [localHeader.mark, directoryHeader.mark].some((mark) => after.subarray(at, at + mark.length).equals(mark))
  const length = descriptorLengths.find(isMark)
  if (length === undefined) throw reader.cutShort()
  reader.putBack(after.subarray(length))
}

/** Checks that the directory lists these entries, in any order, and reads the archive to its end. */
async function checkDirectory(
  reader: ChunkReader,
  checksums: readonly (number | undefined)[],
  path: string,
): Promise<void> {
  const listed: number[] = []
  while (listed.length < checksums.length) {
    const header = await reader.take(directoryHeader.length)
    if (!header.subarray(0, directoryHeader.mark.length).equals(directoryHeader.mark)) throw reader.cutShort()
    listed.push(header.readUInt32LE(directoryHeader.crc))
    for (const at of directoryHeader.lengths) await reader.take(header.readUInt16LE(at))
  }
  if (checksums.some((checksum) => checksum !== undefined && !listed.includes(checksum)))
    throw new LoadRefused(path, 'is not whole: its zip entry has another checksum than its directory says')
  while ((await reader.takeUpTo(packedChunk)).length > 0);
}
