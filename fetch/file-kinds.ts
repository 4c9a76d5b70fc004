const document = 'look for the JSON file that the payer publishes'
const archive = 'unpack it, then load its files'

/** The kinds of files that are no JSON: how they begin, in Latin-1, and what to do with them. */
const kinds: readonly (readonly [starts: readonly string[], kind: string, remedy: string])[] = [
  [['\xfd7zXZ\0'], 'packed with xz', 'unpack it first (xz -d)'],
  [['BZh'], 'packed with bzip2', 'unpack it first (bzip2 -d)'],
  [['7z\xbc\xaf\x27\x1c'], 'a 7-Zip archive', archive],
  [['Rar!\x1a\x07'], 'a RAR archive', archive],
  [['\x04"M\x18'], 'packed with LZ4', 'unpack it first (lz4 -d)'],
  [['\xff\x06\0\0sNaPpY'], 'packed with Snappy', 'unpack it first'],
  [['\x1f\x9d', '\x1f\xa0'], 'packed with compress', 'unpack it first (uncompress)'],
  [['\xff\xfe\0\0', '\0\0\xfe\xff', '{\0\0\0', '\0\0\0{'], 'text in UTF-32', 'convert it to UTF-8 first (iconv)'],
  [['%PDF-'], 'a PDF document, not JSON', document],
  [['PAR1'], 'a Parquet file, not JSON', document],
  [['ORC\n', 'ORC\b'], 'an ORC file, not JSON', document],
  [['Obj\x01'], 'an Avro file, not JSON', document],
  [['SQLite format 3\0'], 'an SQLite database, not JSON', document],
  [['\xd0\xcf\x11\xe0'], 'an Office document, not JSON', document],
  [['version https://git-lfs.'], 'a pointer of Git LFS, not the file', 'fetch the file (git lfs pull)'],
]

/** Texts that are no JSON: JSON begins neither with `<` nor with a name. */
const texts: readonly (readonly [start: RegExp, kind: string, remedy: string])[] = [
  [/^\s*</, 'XML or a web page, not JSON', 'a login may have expired, or a proxy have answered'],
  [/^(?:%YAML|---\s|(?:#.*\n)*[A-Za-z_]+:(?:\s|$))/, 'YAML, not JSON', 'convert it to JSON first'],
]

/** The place and the name by which a tar archive says what it is, after the name of its first file. */
const tar = { at: 257, magic: 'ustar' }

/** Number of bytes at the start of a file that show its kind. */
export const kindLength = tar.at + tar.magic.length

/** Describes a file that is no JSON in UTF-8 or UTF-16, and what to do. @param start its first bytes */
export function describeOtherFile(start: Buffer): string | undefined {
  const text = start.toString('latin1', 0, 4 * kindLength)
  const [, kind, remedy] =
    kinds.find(([starts]) => starts.some((each) => text.startsWith(each))) ??
    texts.find(([pattern]) => pattern.test(text.replace(/^\xef\xbb\xbf/, ''))) ??
    (text.startsWith(tar.magic, tar.at) ? [[], 'a tar archive', archive] : [])
  return kind === undefined ? undefined : `is ${kind}: ${remedy}`
}
