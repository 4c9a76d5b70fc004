import { crc32, deflateRawSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { buildFile } from '../../builders/in-network-builder.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'

const text = Buffer.from(JSON.stringify(buildFile()))
const half = text.length >> 1

async function ratesOf(content: Uint8Array) {
  await using warehouse = await createTestWarehouse()
  const report = await warehouse.load({ files: [await warehouse.write('rates', content)] })
  return report.files[0]?.rates
}

/** Builds a zip archive; `follows` puts sizes and checksum behind the data, as a streaming writer does. */
function zip(contents: readonly Buffer[], { stored = false, follows = false, checksum = crc32 } = {}): Buffer {
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

describe('a file is recognized by its first bytes, and read', () => {
  it.each([
    ['plain', text],
    ['with a byte order mark', Buffer.concat([Buffer.from('\ufeff'), text])],
    ['as gzip', gzipSync(text)],
    [
      'as gzip of several members',
      Buffer.concat([text.subarray(0, half), text.subarray(half)].map((part) => gzipSync(part))),
    ],
    ['as zip', zip([text])],
    ['as zip written as a stream', zip([text], { follows: true })],
    ['as zip without compression', zip([text], { stored: true })],
  ])('%s', async (_title, content) => {
    expect(await ratesOf(content)).toBe(1)
  })

  it.each([
    ['a zip of two files', zip([text, text]), 'is a zip archive of several files'],
    ['a zip with another checksum', zip([text], { checksum: () => 7 }), 'its zip entry has another checksum'],
    ['a zip without directory', zip([text]).subarray(0, -47), 'its zip archive does not end'],
    ['a zip that is cut short', zip([text]).subarray(0, 150), 'its zip archive does not end'],
    ['a broken zip', Buffer.concat([zip([text]).subarray(0, 31), Buffer.alloc(500, 0xff)]), 'cannot be unpacked'],
  ])('but not %s', async (_title, content, fault) => {
    await expect(ratesOf(content)).rejects.toThrow(fault)
  })
})
