import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeAwsChunked } from '../../../local/s3/aws-chunked.ts'

async function decode(pieces: readonly Buffer[]): Promise<{ bytes: Buffer; trailers: [string, string][] }> {
  const trailers: [string, string][] = []
  async function* source() {
    yield* pieces
  }
  const decoded: Buffer[] = []
  for await (const piece of decodeAwsChunked(source(), (name, value) => trailers.push([name, value])))
    decoded.push(piece)
  return { bytes: Buffer.concat(decoded), trailers }
}

const encoded = Buffer.from(
  '5;chunk-signature=ab12\r\nhello\r\n6\r\n wo\r\nr\r\n0;chunk-signature=cd34\r\nX-Amz-Checksum-CRC32:abc=\r\n\r\n',
)

describe('an aws-chunked body', () => {
  it('decodes the same regardless of how it is split in transit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(encoded.length)), async (cuts) => {
        const ends = [...cuts, encoded.length].sort((a, b) => a - b)
        const pieces = ends.map((end, index) => encoded.subarray(ends[index - 1] ?? 0, end))
        const { bytes, trailers } = await decode(pieces)
        expect(bytes.toString()).toBe('hello wo\r\nr')
        expect(trailers).toEqual([['x-amz-checksum-crc32', 'abc=']])
      }),
    )
  })

  it('may end without the final line end', async () => {
    expect((await decode([Buffer.from('1\r\nx\r\n0\r\n')])).bytes.toString()).toBe('x')
  })

  it.each(['5\r\nhel', '5\r\nhello\r\n', ''])('is incomplete: %j', async (text) => {
    await expect(decode([Buffer.from(text)])).rejects.toMatchObject({ code: 'IncompleteBody' })
  })

  it.each(['hello', '-1\r\nx', '1\r\nxyz\r\n0\r\n\r\n', `${'f'.repeat(20_000)}`])(
    'is malformed: %.20j',
    async (text) => {
      await expect(decode([Buffer.from(text)])).rejects.toMatchObject({ code: 'InvalidRequest' })
    },
  )
})
