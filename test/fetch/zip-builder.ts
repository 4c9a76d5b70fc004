import { crc32, deflateRawSync } from 'node:zlib'

/** How an archive is written. */
interface ZipOptions {
  readonly names?: readonly string[]
  readonly stored?: boolean
  /** Whether sizes and checksum are behind the data, as a streaming writer puts them. */
  readonly follows?: boolean
  readonly checksum?: (content: Buffer) => number
  /** Where the directory says that the entries begin. */
  readonly offsets?: readonly number[]
  /** Size of a packed entry that its local header states. */
  readonly statedSize?: number
  readonly password?: boolean
}

/** Builds a zip archive; the entries are `a.json`, `b.json` and so on unless they are named. */
export function zip(contents: readonly Buffer[], options: ZipOptions = {}): Buffer {
  const { stored = false, follows = false, checksum = crc32, password = false, statedSize } = options
  const packed = contents.map((content) => (stored ? content : deflateRawSync(content)))
  const nameOf = (index: number) => Buffer.from(options.names?.[index] ?? `${String.fromCharCode(97 + index)}.json`)
  const header = (mark: string, length: number, index: number, offset = 0) => {
    const bytes = Buffer.alloc(length)
    const isDirectory = length === 46
    const at = isDirectory ? 2 : 0
    bytes.write(mark, 'latin1')
    bytes.writeUInt16LE((follows ? 8 : 0) + (password ? 1 : 0), 6 + at)
    bytes.writeUInt16LE(stored ? 0 : 8, 8 + at)
    const isKnown = isDirectory || !follows
    const size = packed[index]?.length ?? 0
    bytes.writeUInt32LE(isKnown ? checksum(contents[index] ?? Buffer.alloc(0)) : 0, 14 + at)
    bytes.writeUInt32LE(isKnown ? (isDirectory ? size : (statedSize ?? size)) : 0, 18 + at)
    bytes.writeUInt32LE(isKnown ? (contents[index]?.length ?? 0) : 0, 22 + at)
    bytes.writeUInt16LE(nameOf(index).length, 26 + at)
    if (isDirectory) bytes.writeUInt32LE(offset, 42)
    return Buffer.concat([bytes, nameOf(index)])
  }
  const descriptor = follows ? Buffer.concat([Buffer.from('PK\u0007\u0008'), Buffer.alloc(12)]) : Buffer.alloc(0)
  const entries = packed.map((data, index) => Buffer.concat([header('PK\u0003\u0004', 30, index), data, descriptor]))
  const offsetOf = (index: number) =>
    options.offsets?.[index] ?? entries.slice(0, index).reduce((sum, { length }) => sum + length, 0)
  const directory = Buffer.concat(packed.map((_, index) => header('PK\u0001\u0002', 46, index, offsetOf(index))))
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 'latin1')
  end.writeUInt16LE(packed.length, 8)
  end.writeUInt16LE(packed.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(
    entries.reduce((sum, { length }) => sum + length, 0),
    16,
  )
  return Buffer.concat([...entries, directory, end])
}
