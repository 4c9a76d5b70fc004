import { crc32, deflateRawSync } from 'node:zlib'
import { at } from '../../schema/at.ts'

/** Form of an archive, sound or broken. */
interface ZipOptions {
  /** @default - `a.json`, `b.json` and so on */
  readonly names?: readonly string[]
  /** True if the entries are not compressed. */
  readonly stored?: boolean
  /** True if sizes and checksum follow the data, as a streaming writer puts them. */
  readonly follows?: boolean
  readonly checksum?: (content: Buffer) => number
  /** Positions of the entries that the directory states, in bytes. */
  readonly offsets?: readonly number[]
  /** Size of each packed entry that its local header states, in bytes. */
  readonly statedSize?: number
  readonly password?: boolean
}

/** Builds a zip archive with an entry for each content. */
export function zip(contents: readonly Buffer[], options: ZipOptions = {}): Buffer {
  const { stored = false, follows = false, checksum = crc32, password = false, statedSize } = options
  const packed = contents.map((content) => (stored ? content : deflateRawSync(content)))
  const nameOf = (index: number) => Buffer.from(options.names?.[index] ?? `${String.fromCharCode(97 + index)}.json`)
  const header = (mark: string, length: number, index: number, offset = 0) => {
    const bytes = Buffer.alloc(length)
    const isDirectory = length === 46
    const shift = isDirectory ? 2 : 0
    bytes.write(mark, 'latin1')
    bytes.writeUInt16LE((follows ? 8 : 0) + (password ? 1 : 0), 6 + shift)
    bytes.writeUInt16LE(stored ? 0 : 8, 8 + shift)
    const hasSizes = isDirectory || !follows
    const content = at(contents, index)
    const size = at(packed, index).length
    const headerSize = isDirectory ? size : (statedSize ?? size)
    bytes.writeUInt32LE(hasSizes ? checksum(content) : 0, 14 + shift)
    bytes.writeUInt32LE(hasSizes ? headerSize : 0, 18 + shift)
    bytes.writeUInt32LE(hasSizes ? content.length : 0, 22 + shift)
    bytes.writeUInt16LE(nameOf(index).length, 26 + shift)
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
