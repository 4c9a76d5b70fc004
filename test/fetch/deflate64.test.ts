import { readFile } from 'node:fs/promises'
import { constants, deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ChunkReader, EndsEarly } from '../../fetch/chunk-reader.ts'
import { inflate64, NotDeflate64 } from '../../fetch/zip/deflate64.ts'
import { uint8At } from '../../schema/at.ts'
import { createTestWarehouse } from '../builders/test-warehouse.ts'

/** The bytes after the data of an archive's last entry. */
const directory = Buffer.alloc(68, 'PK')

function open(packed: Uint8Array, chunkSize: number) {
  const chunks = async function* () {
    for (let at = 0; at < packed.length; at += chunkSize) yield Buffer.from(packed.subarray(at, at + chunkSize))
  }
  return new ChunkReader(chunks())
}

async function unpack(packed: Uint8Array, chunkSize = 1 << 16) {
  const reader = open(packed, chunkSize)
  const unpacked = Buffer.concat(await Array.fromAsync(inflate64(reader)))
  return { unpacked, remainder: await reader.takeUpTo(packed.length) }
}

/** Writes bits, the first of each value in the lowest place. */
function packBits(values: readonly (readonly [value: number, bits: number])[]): Buffer {
  const bits = values.flatMap(([value, count]) => Array.from({ length: count }, (_, bit) => (value >> bit) & 1))
  const bytes = Buffer.alloc(Math.ceil(bits.length / 8))
  for (const [index, bit] of bits.entries()) bytes[index >> 3] = uint8At(bytes, index >> 3) | (bit << (index & 7))
  return bytes
}

/**
 * Packs empty blocks that define a code with lengths of up to 15 bits. The code of lengths has two symbols of one bit:
 * 1 for a literal's length 15 and 0 for a length of 0, which is the longest code for the fewest bits.
 */
function emptyBlocks(count: number): Buffer {
  const lengthsInOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
  const codeLengths = lengthsInOrder.map((symbol): [number, number] => [symbol === 0 || symbol === 15 ? 1 : 0, 3])
  const literals = Array.from({ length: 257 }, (_, symbol): [number, number] => [symbol === 256 ? 1 : 0, 1])
  const block = (isLast: boolean): [number, number][] => [
    [isLast ? 1 : 0, 1],
    [2, 2],
    [0, 5],
    [0, 5],
    [15, 4],
    ...codeLengths,
    ...literals,
    // One distance, whose code has 15 bits as well.
    [1, 1],
    // The end of the block: the first code of 15 bits.
    [0, 15],
  ]
  return packBits(Array.from({ length: count }, (_, index) => block(index === count - 1)).flat())
}

/** A file of 7-Zip 26.02 (`7z a -mm=Deflate64`): a text repeats after 52,500 bytes, in one match of 52,500. */
const fixture = new URL('deflate64.zip', import.meta.url)

describe('the unpacker of Deflate64', () => {
  it('loads rates from an archive that 7-Zip wrote', async () => {
    await using warehouse = await createTestWarehouse()
    const report = await warehouse.load({ files: [await warehouse.write('rates.zip', await readFile(fixture))] })
    expect(report.files[0]).toMatchObject({ rates: 1, findings: [] })
  })

  it('unpacks Deflate data without matches of 258 bytes, in chunks of any size', async () => {
    const { Z_DEFAULT_STRATEGY, Z_FIXED, Z_HUFFMAN_ONLY } = constants
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 257 }),
      fc.array(fc.constantFrom(1, 2), { maxLength: 257 }).map((bytes) => Uint8Array.from(bytes)),
    )
    const strategy = fc.constantFrom(Z_DEFAULT_STRATEGY, Z_FIXED, Z_HUFFMAN_ONLY)
    await fc.assert(
      fc.asyncProperty(content, strategy, fc.constantFrom(0, 9), fc.integer({ min: 1, max: 90 }), async (...drawn) => {
        const [bytes, strategy, level, chunkSize] = drawn
        const packed = Buffer.concat([deflateRawSync(bytes, { strategy, level }), directory])
        const { unpacked, remainder } = await unpack(packed, chunkSize)
        expect(unpacked).toEqual(Buffer.from(bytes))
        expect(remainder).toEqual(directory)
      }),
    )
  })

  it('unpacks several blocks, stored and coded, that are longer than the window', async () => {
    const bytes = Buffer.from(Array.from({ length: 700_000 }, (_, index) => (index * index * 31) >> 7))
    for (const level of [0, 9]) {
      const packed = deflateRawSync(bytes, { level, strategy: constants.Z_HUFFMAN_ONLY })
      expect((await unpack(Buffer.concat([packed, directory]))).unpacked.equals(bytes)).toBe(true)
    }
  })

  it.each([
    ['a block of an unknown kind', [0b111]],
    ['a stored block with another length', [0b001, 5, 0, 5, 0]],
    ['a match before the beginning', [0b011, 0b10, 0, 0]],
    ['a code of too many symbols', [0b101, 0, 0b10010010, 0b100100, 0b1001001, 0b10010010]],
  ])('refuses %s', async (_title, bytes) => {
    await expect(unpack(Buffer.concat([Buffer.from(bytes), directory]))).rejects.toThrow(NotDeflate64)
  })

  it('limits its work on codes of blocks without output to a multiple of their bytes', async () => {
    const measure = async (blocks: number) => {
      const packed = Buffer.concat([emptyBlocks(blocks), directory])
      let entries = 0
      const count = (more: number) => {
        entries += more
      }
      const unpacked = await Array.fromAsync(inflate64(open(packed, 1 << 16), count))
      expect(Buffer.concat(unpacked)).toHaveLength(0)
      return { entries, bytes: packed.length }
    }
    const [once, twice] = [await measure(200), await measure(400)]
    expect(twice.entries).toBe(2 * once.entries)
    // A table for all 15 bits would take 2,000 entries a byte.
    expect(once.entries / once.bytes).toBeLessThan(100)
  })

  it('never reads beyond the input, for any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        const outcome = await unpack(bytes).catch((error: unknown) => error)
        if (outcome instanceof Error) expect(outcome instanceof NotDeflate64 || outcome instanceof EndsEarly).toBe(true)
      }),
    )
  })
})
