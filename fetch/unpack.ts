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

/** How much of a packed file has been read, and what was met. */
export class Tally {
  read = 0
  readonly hash = createHash('sha256')
  /** The hash of the JSON text; undefined if the file is not compressed, because then it is that of the file. */
  textHash: ReturnType<typeof createHash> | undefined
  readonly oddities = new Occurrences<OddForm>()
}

/** Bytes that any file may unpack to; one that unpacks to more, so many times its size at most. Payers' files: 20 to 50. */
const maxUnpacking = { free: 100_000_000, ratio: 200 }

/** How much longer a text in UTF-16 may be in UTF-8. */
const growthOfUtf16 = 1.5

/** Bytes of JSON text that a file of a size can have, however it is packed. */
export const mostTextOf = (size: number): number =>
  growthOfUtf16 * Math.max(maxUnpacking.free, maxUnpacking.ratio * size)

const chunkSize = 1 << 20
/** Bytes of a text that tell its encoding. */
const leastStart = 4

/**
 * The text of a file in UTF-8, however it is packed.
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
  const isPacked = (await formatOf(packed)) !== undefined
  const text = new ChunkReader(isPacked ? unpackText(packed, path, tally, isWanted) : packed.rest())
  if ((await formatOf(text)) !== undefined) throw new LoadRefused(path, 'is packed several times over: unpack it first')
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
    if (unpacked > maxUnpacking.free && unpacked > maxUnpacking.ratio * tally.read)
      throw new LoadRefused(path, `is refused: it unpacks to more than ${maxUnpacking.ratio} times its size`)
  }
  const watch = { isWanted, onSkipped: count, onOther: (name: string) => tally.oddities.note('zip-other', () => name) }
  const isZip = (await formatOf(packed)) === 'zip'
  const outer = new ChunkReader(unpackOnce(packed, path, watch))
  const isTwice = isZip && (await formatOf(outer)) !== undefined
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
  if ((await formatOf(packed)) === 'zip') yield* readZip(packed, path, watch)
  else yield* unpackGzip(packed.rest(), path)
}

async function* unpackGzip(chunks: AsyncGenerator<Buffer>, path: string): AsyncGenerator<Buffer> {
  try {
    yield* pipeline(chunks, createGunzip({ chunkSize }), () => undefined)
  } catch (cause) {
    // The rest are faults of the file's source.
    const code = codeOf(cause)
    if (!code.startsWith('Z_')) throw cause
    if (code === 'Z_BUF_ERROR') throw new LoadRefused(path, 'is cut short: its gzip stream does not end', { cause })
    throw new LoadRefused(path, 'is not whole: its gzip stream cannot be unpacked', { cause })
  }
}

/** How a file is packed, by its first bytes; undefined if it is not. */
async function formatOf(file: ChunkReader): Promise<'gzip' | 'zip' | undefined> {
  const head = await file.peek(localHeader.mark.length)
  if (head.equals(localHeader.mark)) return 'zip'
  return head[0] === 0x1f && head[1] === 0x8b ? 'gzip' : undefined
}

/** By the byte order mark, or by the zero in the first character, which JSON takes from ASCII. Source: RFC 4627, section 3. */
function findUtf16([first, second]: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le'
  return (first === 0xfe && second === 0xff) || (first === 0 && second !== 0) ? 'utf-16be' : undefined
}

/** JSON never begins with this sign. */
function refusePage(start: Buffer, path: string): void {
  if (/^(?:\xef\xbb\xbf)?\s*</.test(start.toString('latin1')))
    throw new LoadRefused(path, 'is XML or a web page, not JSON: a login may have expired, or a proxy have answered')
}
