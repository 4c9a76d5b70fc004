import { crc32, deflateRawSync } from 'node:zlib'

/** Builds a zip archive; `follows` puts sizes and checksum behind the data, as a streaming writer does. */
export function zip(contents: readonly Buffer[], { stored = false, follows = false, checksum = crc32 } = {}): Buffer {
  const packed = contents.map((content) => (stored ? content : deflateRawSync(content)))
  const header = (mark: string, length: number, index: number) => {
    const bytes = Buffer.alloc(length)
    const at = length === 46 ? 2 : 0
    bytes.write(mark, 'latin1')
    bytes.writeUInt16LE(follows ? 8 : 0, 6 + at)
    bytes.writeUInt16LE(stored ? 0 : 8, 8 + at)
    const isKnown = length === 46 || !follows
    bytes.writeUInt32LE(isKnown ? checksum(contents[index] ?? '') : 0, 14 + at)
    bytes.writeUInt32LE(isKnown ? (packed[index]?.length ?? 0) : 0, 18 + at)
    bytes.writeUInt16LE(1, 26 + at)
    return Buffer.concat([bytes, Buffer.from('a')])
  }
  const descriptor = follows ? Buffer.concat([Buffer.from('PK\u0007\u0008'), Buffer.alloc(12)]) : Buffer.alloc(0)
  const entries = packed.flatMap((data, index) => [header('PK\u0003\u0004', 30, index), data, descriptor])
  const directory = packed.map((_, index) => header('PK\u0001\u0002', 46, index))
  return Buffer.concat([...entries, ...directory])
}
