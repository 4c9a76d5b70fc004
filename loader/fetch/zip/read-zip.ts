import { crc32, createInflateRaw, type InflateRaw } from 'node:zlib'
import { ChunkReader } from './chunk-reader.ts'
import { LoadRefused } from './load-refused.ts'

/**
 * Fields of a zip archive. Source: PKWARE APPNOTE 6.3, sections 4.3.7 (local file header), 4.3.9 (data descriptor) and
 * 4.3.12 (central directory header).
 */
const localHeader = { length: 30, flags: 6, method: 8, packedSize: 18, nameLength: 26, extraLength: 28 }
const directoryHeader = { mark: Buffer.from('PK\u0001\u0002', 'latin1'), length: 46, crc: 16 }
const localMark = Buffer.from('PK\u0003\u0004', 'latin1')
const maxDescriptorBytes = 24

const isEncrypted = 0b1
const sizesFollow = 0b1000
const stored = 0
const deflated = 8
/** Deflate compresses at most 1,032 to 1, so one chunk never expands to more than 64 MiB. */
const packedChunk = 1 << 16
/** Marks a size that is in the zip64 extra field. */
const sizeElsewhere = 0xffffffff

/**
 * Unpacks the only entry of a zip archive as a stream. A second entry, a wrong checksum or a missing directory after it
 * refuses the file.
 *
 * @throws LoadRefused
 */
export async function* readZipEntry(chunks: AsyncIterator<Buffer>, path: string): AsyncGenerator<Buffer> {
  const reader = new ChunkReader(chunks, () => new LoadRefused(path, 'is cut short: its zip archive does not end'))
  const header = await reader.take(localHeader.length)
  const flags = header.readUInt16LE(localHeader.flags)
  const method = header.readUInt16LE(localHeader.method)
  const packedSize = header.readUInt32LE(localHeader.packedSize)
  await reader.take(header.readUInt16LE(localHeader.nameLength) + header.readUInt16LE(localHeader.extraLength))
  if ((flags & isEncrypted) !== 0) throw new LoadRefused(path, 'is a zip archive with a password')

  let checksum = 0
  const isCounted = (flags & sizesFollow) === 0 && packedSize !== sizeElsewhere
  if (method !== deflated && !(method === stored && isCounted)) {
    throw new LoadRefused(path, `is a zip archive packed by method ${method}, which is not read: unpack it first`)
  }
  for await (const chunk of method === deflated ? inflate(reader, path) : reader.pass(packedSize)) {
    checksum = crc32(chunk, checksum)
    yield chunk
  }
  await checkDirectory(reader, checksum, path)
}

/** Unpacks up to the end of the deflated data and leaves what follows in the reader. */
async function* inflate(reader: ChunkReader, path: string): AsyncGenerator<Buffer> {
  const inflater = createInflateRaw({ chunkSize: 1 << 18 })
  const unpacked: Buffer[] = []
  inflater.on('data', (chunk: Buffer) => unpacked.push(chunk))
  let handed = 0
  while (inflater.bytesWritten === handed) {
    const chunk = await reader.next(packedChunk)
    handed += chunk.length
    await write(inflater, chunk).catch((cause: unknown) => {
      throw new LoadRefused(path, 'is not whole: its zip entry cannot be unpacked', { cause })
    })
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

async function checkDirectory(reader: ChunkReader, checksum: number, path: string): Promise<void> {
  const after = await reader.takeUpTo(maxDescriptorBytes + directoryHeader.length)
  const directory = after.indexOf(directoryHeader.mark)
  const next = after.indexOf(localMark)
  if (next >= 0 && (directory < 0 || next < directory)) {
    throw new LoadRefused(path, 'is a zip archive of several files: unpack it and name those to load')
  }
  if (directory < 0 || directory > maxDescriptorBytes || after.length < directory + directoryHeader.length) {
    throw reader.cutShort()
  }
  if (after.readUInt32LE(directory + directoryHeader.crc) !== checksum) {
    throw new LoadRefused(path, 'is not whole: its zip entry has another checksum than its directory says')
  }
}
