import { readFileSync } from 'node:fs'
import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { buildFile } from '../builders/in-network-builder.ts'
import { createTestWarehouse } from '../builders/test-warehouse.ts'
import { zip } from './zip-builder.ts'

const text = Buffer.from(JSON.stringify(buildFile()))
const half = text.length >> 1
const deflate64 = readFileSync(new URL('deflate64.zip', import.meta.url))
const bomb = Buffer.alloc(101_000_000, ' ')
const [directoryOfOne, endOfDirectory] = [46 + 'a.json'.length, 22]

async function ratesOf(content: Uint8Array) {
  await using warehouse = await createTestWarehouse()
  const report = await warehouse.load({ files: [await warehouse.write('rates', content)] })
  return report.files[0]?.rates
}

describe('a file of any packing', () => {
  it.each([
    ['without packing', text],
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
  ])('loads a file %s', async (_title, content) => {
    expect(await ratesOf(content)).toBe(1)
  })

  it('loads a file in a zip, and counts the entries that are no rate files', async () => {
    const names = ['rates/', '__MACOSX/._rates.json', 'rates/.DS_Store', 'README.txt', 'rates/rates.json', 'codes.pdf']
    const content = names.map((name) => (name === 'rates/rates.json' ? text : Buffer.from(name)))
    for (const options of [{ names }, { names, follows: true }, { names, stored: true }]) {
      await using warehouse = await createTestWarehouse()
      const { files } = await warehouse.load({ files: [await warehouse.write('rates.zip', zip(content, options))] })
      expect(files[0]).toMatchObject({
        rates: 1,
        findings: [{ rule: 'zip-other', count: 5, examples: names.slice(0, 3) }],
      })
    }
  })

  it.each([
    ['deflate', deflateSync(text)],
    ['zstd', zstdCompressSync(text)],
  ])('reads a file that is packed with %s', async (_title, packed) => {
    await using warehouse = await createTestWarehouse()
    const { files } = await warehouse.load({ files: [await warehouse.write('rates.json', packed)] })
    expect(files).toMatchObject([{ rates: 1 }])
    const cut = await warehouse.write('cut.json', packed.subarray(0, -20))
    await expect(warehouse.load({ files: [cut] })).rejects.toThrow('is cut short')
  })

  const tar = Buffer.concat([
    Buffer.from('rates.json'.padEnd(257, '\0')),
    Buffer.from('ustar\u000000'),
    Buffer.alloc(300),
  ])
  it.each([
    ['a tar archive', tar],
    ['a tar archive', gzipSync(tar)],
    ['packed with xz', '\xfd7zXZ\0\0\x04'],
    ['packed with bzip2', 'BZh91AY&SY'],
    ['a 7-Zip archive', '7z\xbc\xaf\x27\x1c\0\x04'],
    ['a RAR archive', 'Rar!\x1a\x07\x01\0'],
    ['packed with LZ4', '\x04"M\x18'],
    ['text in UTF-32', Buffer.from([...text.subarray(0, 9)].flatMap((letter) => [letter, 0, 0, 0]))],
    ['text in UTF-32', '\xff\xfe\0\0{\0\0\0'],
    ['a PDF document', '%PDF-1.7'],
    ['a Parquet file', 'PAR1\x15'],
    ['an Office document', '\xd0\xcf\x11\xe0'],
    [
      'an Office document',
      zip([Buffer.from('<Types/>'), Buffer.from('<x/>')], { names: ['[Content_Types].xml', 'xl/workbook.xml'] }),
    ],
    ['a pointer of Git LFS', 'version https://git-lfs.github.com/spec/v1\noid sha256:1'],
    ['YAML', 'reporting_entity_name: Blue Harbor\n'],
    ['YAML', '---\nreporting_entity_name: x'],
    ['XML or a web page', '\xef\xbb\xbf \n<html>'],
    ['looks like CSV', 'npi,rate\n1,2\n'],
    ['is empty', ''],
    ['is empty', ' \n'],
  ])('says of a file that it is %s', async (kind, content) => {
    await using warehouse = await createTestWarehouse()
    const bytes = typeof content === 'string' ? Buffer.from(content, 'latin1') : content
    const files = [await warehouse.write('rates.json', bytes)]
    await expect(warehouse.load({ files })).rejects.toThrow(kind)
  })

  const readMe = { names: ['README.txt', 'rates.json'] }

  it.each([
    ['a zip without a rate file', zip([text], readMe), 'without a rate file'],
    ['a zip with a password', zip([text], { password: true }), 'with a password'],
    ['a zip whose other entry claims to be longer', zip([text, text], { ...readMe, statedSize: 4000 }), 'does not end'],
    ['a zip whose other entry claims more', zip([text, text], { ...readMe, statedSize: 1 << 30 }), 'does not end'],
    [
      'Deflate64 with another byte',
      deflate64.with(1000, (deflate64[1000] ?? 0) ^ 1),
      /cannot be unpacked|another checksum/,
    ],
    ['Deflate64 that is cut short', deflate64.subarray(0, 2000), 'does not end'],
    ['a zip bomb beside a rate file', zip([bomb, text], { ...readMe, follows: true }), 'more than 200 times its size'],
    ['a zip bomb', zip([bomb]), 'more than 200 times its size'],
    ['a zip with another checksum', zip([text], { checksum: () => 7 }), 'its zip entry has another checksum'],
    ['a zip within a zip with another checksum', zip([zip([text])], { checksum: () => 7 }), 'another checksum'],
    ['a zip three deep', zip([zip([zip([text])])]), 'is packed several times over'],
    [
      'a zip without directory',
      zip([text]).subarray(0, -(directoryOfOne + endOfDirectory)),
      'its zip archive does not end',
    ],
    ['a zip that is cut short', zip([text]).subarray(0, 150), 'its zip archive does not end'],
    ['a broken zip', Buffer.concat([zip([text]).subarray(0, 36), Buffer.alloc(500, 0xff)]), 'cannot be unpacked'],
  ])('refuses %s', async (_title, content, fault) => {
    await expect(ratesOf(content)).rejects.toThrow(fault)
  })
})
