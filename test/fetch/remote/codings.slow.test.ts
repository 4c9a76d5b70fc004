import {
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createDeflate,
  createDeflateRaw,
  createGzip,
  createZstdCompress,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { openPublishedBytes } from '../../../fetch/published-bytes.ts'
import { buildFile } from '../../builders/in-network-builder.ts'
import { remote, site, useRemoteSite } from '../../builders/remote-files.ts'

const text = JSON.stringify(buildFile())

useRemoteSite()

async function read(body: Buffer, encoding: string): Promise<string> {
  site.files.set('/rates.json', { body, encoding })
  await using file = await openPublishedBytes(`${site.url}/rates.json`, { remote })
  return Buffer.concat(await Array.fromAsync(file.chunks)).toString()
}

const codings = [
  ['gzip', gzipSync, createGzip],
  ['x-gzip', gzipSync, createGzip],
  ['deflate', deflateSync, createDeflate],
  ['deflate', deflateRawSync, createDeflateRaw],
  ['zstd', zstdCompressSync, createZstdCompress],
  ['br', brotliCompressSync, () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })],
] as const

describe.each(codings)('a body in %s, packed by %o', (coding, pack, createPacker) => {
  it.each(['', ', identity'])('yields its text, however the header is written: %j', async (more) => {
    const header = `${more.slice(2)}${more === '' ? '' : ', '}${coding}`
    expect(await read(pack(text), header)).toBe(text)
    expect(await read(pack(text), header.toUpperCase())).toBe(text)
  })

  it('refuses a body that is cut', async () => {
    await expect(read(pack(text).subarray(0, -20), coding)).rejects.toThrow('is cut short')
  })

  it('names a file that was packed before the server packed it', async () => {
    const fault = 'is packed several times over: unpack it first'
    await expect(read(pack(gzipSync(text)), coding)).rejects.toThrow(fault)
    await expect(read(pack(gzipSync(text)), `gzip, ${coding}`)).rejects.toThrow(fault)
  })

  it('refuses a body that unpacks to far more than its size, before all of it is unpacked', async () => {
    const bomb = await Array.fromAsync(
      (async function* () {
        const packer = createPacker()
        const blank = Buffer.alloc(1 << 20, ' ')
        packer.write('{')
        for (let count = 0; count < 120; count++) packer.write(blank)
        packer.end()
        yield* packer
      })(),
    )
    await expect(read(Buffer.concat(bomb), coding)).rejects.toThrow('unpacks to more than 200 times its size')
  })
})
