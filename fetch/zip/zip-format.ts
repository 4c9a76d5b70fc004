import type { ChunkReader } from '../chunk-reader.ts'
import { otherKindOf } from '../file-address.ts'

/**
 * The header before the data of an entry: its signature and length, the position of the fields that both kinds of
 * headers share, and the positions of the lengths of name, extra fields and comment. Source: PKWARE APPNOTE 6.3,
 * sections 4.3.7 and 4.3.12.
 */
export const localHeader = {
  signature: Buffer.from('PK\u0003\u0004', 'latin1'),
  length: 30,
  shared: 6,
  lengths: [26, 28],
}

/** The header of an entry in the directory, which follows the last entry. */
export const directoryHeader = {
  signature: Buffer.from('PK\u0001\u0002', 'latin1'),
  length: 46,
  shared: 8,
  lengths: [28, 30, 32],
}

/** Value of a size or position that is in the zip64 extra field. */
export const sizeElsewhere = 0xffffffff

/** Maximum number of entries of an archive. Payers' archives have a few dozen. */
export const maxEntries = 10_000

/** The facts of an entry in its header. */
export type ZipHeader = Awaited<ReturnType<typeof readHeader>>

/** Reads headers while one of the kind comes next. The caller reads the data after each before it asks for the next. */
export async function* readHeaders(reader: ChunkReader, kind: typeof localHeader): AsyncGenerator<ZipHeader> {
  while ((await reader.peek(kind.signature.length)).equals(kind.signature)) yield await readHeader(reader, kind)
}

async function readHeader(reader: ChunkReader, { length, shared, lengths }: typeof localHeader) {
  const fixed = await reader.take(length)
  const [nameLength = 0, extraLength = 0, commentLength = 0] = lengths.map((at) => fixed.readUInt16LE(at))
  const variable = await reader.take(nameLength + extraLength + commentLength)
  return {
    /** The header with its name, extra fields and comment. */
    bytes: Buffer.concat([fixed, variable]),
    name: variable.toString('utf8', 0, nameLength),
    extra: variable.subarray(nameLength, nameLength + extraLength),
    flags: fixed.readUInt16LE(shared),
    method: fixed.readUInt16LE(shared + 2),
    checksum: fixed.readUInt32LE(shared + 8),
    packedSize: fixed.readUInt32LE(shared + 12),
    size: fixed.readUInt32LE(shared + 16),
  }
}

const otherName = /(?:^|\/)(?:__MACOSX\/|\.[^/]*$|[^/]*\.(?:txt|md|html?|xml)$)/i

/** True if an entry's name is that of a rate file, not of a folder, a system's own file or a document. */
export const isRateEntry = (name: string): boolean => !otherName.test(name) && otherKindOf(name) === undefined
