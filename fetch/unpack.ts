import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { ChunkReader } from './chunk-reader.ts'
import { codeOf } from './error-code.ts'
import { LoadRefused } from './load-refused.ts'
import { Occurrences } from './occurrences.ts'
import { readZip, type ZipWatch } from './zip/read-zip.ts'
import { localHeader } from './zip/zip-format.ts'

/** Forms that files should not have. */
export type OddForm = 'utf16' | 'zip-in-zip' | 'zip-other' | 'trailing-comma' | 'stray-backslash'

/** Counts and hashes the bytes of a packed file, and notes its odd forms. */
export class Tally {
  bytesRead = 0
  readonly hash = createHash('sha256')
  /** Hash of the JSON text; undefined for a file that is not compressed, whose own hash is the same. */
  textHash: ReturnType<typeof createHash> | undefined
  readonly oddities = new Occurrences<OddForm>()
}

/**
 * Unpacked bytes allowed for any file; beyond that, the allowed ratio of unpacked to packed bytes. Payers' files have
 * ratios of 20 to 50.
 */
const maxUnpacking = { free: 100_000_000, ratio: 200 }

/** Maximum growth of a text from UTF-16 to UTF-8, as a factor. */
const growthOfUtf16 = 1.5

/** Returns the most bytes of JSON text that a file can have, in whatever form it is packed. @param size in bytes */
export const mostTextOf = (size: number): number =>
  growthOfUtf16 * Math.max(maxUnpacking.free, maxUnpacking.ratio * size)

const chunkSize = 1 << 20
/** Bytes at the start of a text that show its encoding. */
const leastStart = 4

/**
 * Yields the text of a file in UTF-8, in whatever form it is packed.
 *
 * @param isWanted chooses the entry of a zip by its name. @default - a rate file
 * @throws LoadRefused if it is not whole
 */
export async function* unpack(
  chunks: AsyncGenerator<Buffer>,
  path: string,
  tally: Tally,
  isWanted?: ZipWatch['isWanted'],
): AsyncGenerator<Buffer> {
  const packed = new ChunkReader(chunks)
  const isPacked = (await detectFormat(packed)) !== undefined
  const text = new ChunkReader(isPacked ? unpackText(packed, path, tally, isWanted) : packed.rest())
  if ((await detectFormat(text)) !== undefined)
    throw new LoadRefused(path, 'is packed several times over: unpack it first')
  const start = await text.peekChunk(leastStart)
  refusePage(start, path)
  const encoding = findUtf16(start)
  if (encoding === undefined) return yield* text.rest()
  tally.oddities.note('utf16', () => 'the file')
  const decoder = new TextDecoder(encoding)
  for await (const chunk of text.rest()) yield Buffer.from(decoder.decode(chunk, { stream: true }))
  yield Buffer.from(decoder.decode())
}

/** Unpacks a gzip or a zip, and what a zip packs once more. */
async function* unpackText(
  packed: ChunkReader,
  path: string,
  tally: Tally,
  isWanted: ZipWatch['isWanted'],
): AsyncGenerator<Buffer> {
  tally.textHash = createHash('sha256')
  let unpacked = 0
  const count = (chunk: Buffer) => {
    unpacked += chunk.length
    if (unpacked > maxUnpacking.free && unpacked > maxUnpacking.ratio * tally.bytesRead)
      throw new LoadRefused(path, `is refused: it unpacks to more than ${maxUnpacking.ratio} times its size`)
  }
  const watch = { isWanted, onSkipped: count, onOther: (name: string) => tally.oddities.note('zip-other', () => name) }
  const isZip = (await detectFormat(packed)) === 'zip'
  const outer = new ChunkReader(unpackOnce(packed, path, watch))
  const isTwice = isZip && (await detectFormat(outer)) !== undefined
  if (isTwice) tally.oddities.note('zip-in-zip', () => 'the file')
  for await (const chunk of isTwice ? unpackOnce(outer, path, watch) : outer.rest()) {
    count(chunk)
    tally.textHash.update(chunk)
    yield chunk
  }
  // The checksum of the outer archive comes last.
  if (isTwice) for await (const chunk of outer.rest()) count(chunk)
}

async function* unpackOnce(packed: ChunkReader, path: string, watch: ZipWatch): AsyncGenerator<Buffer> {
  if ((await detectFormat(packed)) === 'zip') yield* readZip(packed, path, watch)
  else yield* unpackGzip(packed.rest(), path)
}

async function* unpackGzip(chunks: AsyncGenerator<Buffer>, path: string): AsyncGenerator<Buffer> {
  try {
    yield* pipeline(chunks, createGunzip({ chunkSize }), () => undefined)
  } catch (cause) {
    // Any other code is a fault of the disk or the network.
    const code = codeOf(cause)
    if (!code.startsWith('Z_')) throw cause
    if (code === 'Z_BUF_ERROR') throw new LoadRefused(path, 'is cut short: its gzip stream does not end', { cause })
    throw new LoadRefused(path, 'is not whole: its gzip stream cannot be unpacked', { cause })
  }
}

/** Detects the format of a packed file by its first bytes; undefined if it is not packed. */
async function detectFormat(file: ChunkReader): Promise<'gzip' | 'zip' | undefined> {
  const head = await file.peek(localHeader.mark.length)
  if (head.equals(localHeader.mark)) return 'zip'
  return head[0] === 0x1f && head[1] === 0x8b ? 'gzip' : undefined
}

/**
 * Detects UTF-16 by the byte order mark, or by the zero byte of the first character, which is ASCII in all JSON.
 * Source: RFC 4627, section 3.
 */
function findUtf16([first, second]: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le'
  return (first === 0xfe && second === 0xff) || (first === 0 && second !== 0) ? 'utf-16be' : undefined
}

/** Refuses XML and web pages: JSON never begins with `<`. */
function refusePage(start: Buffer, path: string): void {
  if (/^(?:\xef\xbb\xbf)?\s*</.test(start.toString('latin1')))
    throw new LoadRefused(path, 'is XML or a web page, not JSON: a login may have expired, or a proxy have answered')
}
