import type { ChunkReader } from '../chunk-reader.ts'
import { otherKindOf } from '../file-address.ts'

/**
 * Before the data of an entry. `shared` is where the fields are that both kinds of headers have, `lengths` where the lengths
 * of what follows are: name, extra fields, comment. Source: PKWARE APPNOTE 6.3, sections 4.3.7 and 4.3.12.
 */
export const localHeader = { mark: Buffer.from('PK\u0003\u0004', 'latin1'), length: 30, shared: 6, lengths: [26, 28] }

/** In the directory, which follows the last entry. */
export const directoryHeader = {
  mark: Buffer.from('PK\u0001\u0002', 'latin1'),
  length: 46,
  shared: 8,
  lengths: [28, 30, 32],
}

/** Marks a size or place that is in the zip64 extra field. */
export const sizeElsewhere = 0xffffffff

/** Payers' archives have a few dozen. */
export const maxEntries = 10_000

/** What a header says of its entry. */
export type ZipHeader = Awaited<ReturnType<typeof readHeader>>

/** Reads headers for as long as one of the kind comes next. What follows each is read before the next is asked for. */
export async function* readHeaders(reader: ChunkReader, kind: typeof localHeader): AsyncGenerator<ZipHeader> {
  while ((await reader.peek(kind.mark.length)).equals(kind.mark)) yield await readHeader(reader, kind)
}

async function readHeader(reader: ChunkReader, { length, shared, lengths }: typeof localHeader) {
  const fixed = await reader.take(length)
  const [nameLength = 0, extraLength = 0, commentLength = 0] = lengths.map((at) => fixed.readUInt16LE(at))
  const rest = await reader.take(nameLength + extraLength + commentLength)
  return {
    /** The header, with what follows it. */
    bytes: Buffer.concat([fixed, rest]),
    name: rest.toString('utf8', 0, nameLength),
    extra: rest.subarray(nameLength, nameLength + extraLength),
    flags: fixed.readUInt16LE(shared),
    method: fixed.readUInt16LE(shared + 2),
    checksum: fixed.readUInt32LE(shared + 8),
    packedSize: fixed.readUInt32LE(shared + 12),
    size: fixed.readUInt32LE(shared + 16),
  }
}

const otherName = /(?:^|\/)(?:__MACOSX\/|\.[^/]*$|[^/]*\.(?:txt|md|html?|xml)$)/i

/** Whether an entry is a rate file by its name: not a folder, what systems add to archives, nor a document. */
export const isRateEntry = (name: string): boolean => !otherName.test(name) && otherKindOf(name) === undefined
