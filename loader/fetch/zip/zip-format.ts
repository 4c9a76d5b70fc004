import { otherKindOf } from '../file-address.ts'

/**
 * Fields of a zip archive. Source: PKWARE APPNOTE 6.3, sections 4.3.7 (local file header) and 4.3.12 (central directory
 * header).
 */
export const localHeader = {
  mark: Buffer.from('PK\u0003\u0004', 'latin1'),
  ...{ length: 30, flags: 6, method: 8, packedSize: 18, nameLength: 26, extraLength: 28 },
}
export const directoryHeader = {
  mark: Buffer.from('PK\u0001\u0002', 'latin1'),
  ...{ length: 46, crc: 16, packedSize: 20, size: 24, offset: 42 },
  /** Where the lengths of name, extra fields and comment are. */
  lengths: [28, 30, 32],
}

/** Payers' archives have a few dozen. */
export const maxEntries = 10_000

const otherName = /(?:^|\/)(?:__MACOSX\/|\.[^/]*$|[^/]*\.(?:txt|md|html?|xml)$)/i

/** Whether an entry is a rate file by its name: not a folder, what systems add to archives, nor a document. */
export const isRateEntry = (name: string): boolean => !otherName.test(name) && otherKindOf(name) === undefined
