import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasChecksum } from '../../client/downloads/checksum.ts'

const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64')

async function* inPieces(bytes: Uint8Array, size = 4) {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

const digits = Buffer.from('123456789')

describe('a checksum', () => {
  // Source: "check" of each in the catalogue of parametrised CRC algorithms.
  it.each([
    ['CRC32', 'cbf43926'],
    ['CRC32C', 'e3069283'],
    ['CRC64NVME', 'ae8b14860a799888'],
    ['SHA1', createHash('sha1').update(digits).digest('hex')],
    ['SHA256', createHash('sha256').update(digits).digest('hex')],
  ])('recognizes the bytes that it was computed of, and no others: %s', async (algorithm, hex) => {
    const verdict = (value: string) => hasChecksum(inPieces(digits), { algorithm, type: 'FULL_OBJECT', value })
    expect(await verdict(base64(hex))).toBe(true)
    expect(await verdict(base64(hex.replace(/^./, (first) => (first === '0' ? '1' : '0'))))).toBe(false)
  })

  it('equals the CRC32 of zlib, for any bytes in any pieces', async () => {
    const bytes = fc.uint8Array({ maxLength: 300 })
    await fc.assert(
      fc.asyncProperty(bytes, fc.integer({ min: 1, max: 50 }), async (value, size) => {
        const expected = base64(crc32(value).toString(16).padStart(8, '0'))
        const checksum = { algorithm: 'CRC32', type: 'FULL_OBJECT', value: expected } as const
        expect(await hasChecksum(inPieces(value, size), checksum)).toBe(true)
      }),
    )
  })

  it.each([
    ['made of those of parts', { algorithm: 'CRC32', type: 'COMPOSITE', value: 'AAAAAA==-2' }],
    ['of an unknown algorithm', { algorithm: 'BLAKE3', type: 'FULL_OBJECT', value: 'AAAA' }],
  ] as const)('%s cannot be verified', async (_, checksum) => {
    expect(await hasChecksum(inPieces(digits), checksum)).toBeUndefined()
  })
})
