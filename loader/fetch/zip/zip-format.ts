import { otherKindOf } from '../file-address.ts'

/**
 * Fields of a zip archive. Source: PKWARE APPNOTE 6.3, sections 4.3.7 (local file header), 4.3.12 (central directory
 * header) and 4.3.14 to 4.3.16 (end of it).
 */
export const localHeader = {
  mark: Buffer.from('PK\u0003\u0004', 'latin1'),
  ...{ length: 30, flags: 6, method: 8, packedSize: 18, nameLength: 26, extraLength: 28 },
}
export const directoryHeader = {
  mark: Buffer.from('PK\u0001\u0002', 'latin1'),
  ...{ length: 46, crc: 16, packedSize: 20, size: 24, start: 42 },
  /** Where the lengths of name, extra fields and comment are. */
  lengths: [28, 30, 32] as const,
}
export const directoryEnd = {
  mark: Buffer.from('PK\u0005\u0006', 'latin1'),
  ...{ size: 12, start: 16, longest: 22 + 0xffff },
  /** Of an archive of more than 4 GB, before the end. */
  locatorMark: Buffer.from('PK\u0006\u0007', 'latin1'),
  locatorLength: 20,
}
/** Marks a size or place that is in the zip64 extra field. */
export const sizeElsewhere = 0xffffffff

/** Payers' archives have a few dozen. */
export const maxEntries = 10_000

const otherName = /(?:^|\/)(?:__MACOSX\/|\.[^/]*$|[^/]*\.(?:txt|md|html?|xml)$)/i

/** Whether an entry is a rate file by its name: not a folder, what systems add to archives, nor a document. */
export const isRateEntry = (name: string): boolean => !otherName.test(name) && otherKindOf(name) === undefined
