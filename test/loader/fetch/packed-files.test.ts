import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { buildFile } from '../../builders/in-network-builder.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'
import { zip } from './zip-builder.ts'

const text = Buffer.from(JSON.stringify(buildFile()))
const half = text.length >> 1

async function ratesOf(content: Uint8Array) {
  await using warehouse = await createTestWarehouse()
  const report = await warehouse.load({ files: [await warehouse.write('rates', content)] })
  return report.files[0]?.rates
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
    ['as zip within a zip', zip([zip([text])])],
    ['as gzip within a zip', zip([gzipSync(text)], { follows: true })],
    ['in UTF-16 with a byte order mark', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['in UTF-16 without a byte order mark', Buffer.from(`${text}`, 'utf16le')],
    ['in UTF-16 of the other byte order', Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
    ['in UTF-16 as gzip', gzipSync(Buffer.from(`\ufeff${text}`, 'utf16le'))],
    ['as zip without compression', zip([text], { stored: true })],
  ])('%s', async (_title, content) => {
    expect(await ratesOf(content)).toBe(1)
  })

  it.each([
    ['a zip of two files', zip([text, text]), 'is a zip archive of several files'],
    ['a zip with another checksum', zip([text], { checksum: () => 7 }), 'its zip entry has another checksum'],
    ['a zip within a zip with another checksum', zip([zip([text])], { checksum: () => 7 }), 'another checksum'],
    ['a zip three deep', zip([zip([zip([text])])]), 'is packed several times over'],
    ['a zip without directory', zip([text]).subarray(0, -47), 'its zip archive does not end'],
    ['a zip that is cut short', zip([text]).subarray(0, 150), 'its zip archive does not end'],
    ['a broken zip', Buffer.concat([zip([text]).subarray(0, 31), Buffer.alloc(500, 0xff)]), 'cannot be unpacked'],
  ])('but not %s', async (_title, content, fault) => {
    await expect(ratesOf(content)).rejects.toThrow(fault)
  })
})
