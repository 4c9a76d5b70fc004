import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib'
import { ChunkReader } from './chunk-reader.ts'
import { codeOf } from './error-code.ts'
import { describeOtherFile, kindLength } from './file-kinds.ts'
import { FileFault } from './load-refused.ts'
import { Occurrences } from './occurrences.ts'
import type { RepairRule } from './repair-json.ts'
import { readZip, type ZipWatch } from './zip/read-zip.ts'
import { localHeader } from './zip/zip-format.ts'

/** Forms that files should not have. */
export type OddForm = 'utf16' | 'zip-in-zip' | 'zip-other'

/** Counts and hashes the bytes of a packed file, and notes its odd forms. */
export class Tally {
  bytesRead = 0
  readonly hash = createHash('sha256')
  /** Hash of the JSON text; undefined for a file that is not compressed, whose own hash is the same. */
  textHash: ReturnType<typeof createHash> | undefined
  readonly oddities = new Occurrences<OddForm | RepairRule>()
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

/** Programs that pack one file, with what unpacks it. */
const unpackers = {
  gzip: createGunzip,
  deflate: createInflate,
  'raw deflate': createInflateRaw,
  zstd: createZstdDecompress,
  br: createBrotliDecompress,
}

type Format = keyof typeof unpackers | 'zip'

/**
 * Yields the text of a file in UTF-8, in whatever form it is packed.
 *
 * @param how.isWanted chooses the entry of a zip by its name. @default - a rate file
 * @param how.encoding the codings that the server states, the last one outermost; they alone tell `br` and raw deflate
 * @throws FileFault if it is not whole
 */
export async function* unpack(
  chunks: AsyncGenerator<Buffer>,
  tally: Tally,
  { isWanted, encoding }: { readonly isWanted: ZipWatch['isWanted']; readonly encoding?: string | undefined },
): AsyncGenerator<Buffer> {
  const packed = new ChunkReader(chunks)
  const format = await findFormat(packed, encoding)
  const text = new ChunkReader(format === undefined ? packed.rest() : unpackText({ packed, format }, tally, isWanted))
  if ((await detectFormat(text)) !== undefined) throw new FileFault('is packed several times over: unpack it first')
  const start = await text.peekChunk(kindLength)
  const otherFile = describeOtherFile(start)
  if (otherFile !== undefined) throw new FileFault(otherFile)
  const utf16 = findUtf16(start)
  if (utf16 === undefined) return yield* text.rest()
  tally.oddities.note('utf16', () => 'the file')
  const decoder = new TextDecoder(utf16)
  for await (const chunk of text.rest()) yield Buffer.from(decoder.decode(chunk, { stream: true }))
  yield Buffer.from(decoder.decode())
}

interface Packed {
  readonly packed: ChunkReader
  readonly format: Format
}

/** Unpacks a file, and what a zip packs once more. */
async function* unpackText(
  { packed, format }: Packed,
  tally: Tally,
  isWanted: ZipWatch['isWanted'],
): AsyncGenerator<Buffer> {
  tally.textHash = createHash('sha256')
  let unpacked = 0
  const count = (chunk: Buffer) => {
    unpacked += chunk.length
    if (unpacked > maxUnpacking.free && unpacked > maxUnpacking.ratio * tally.bytesRead)
      throw new FileFault(`is refused: it unpacks to more than ${maxUnpacking.ratio} times its size`)
  }
  const watch = { isWanted, onSkipped: count, onOther: (name: string) => tally.oddities.note('zip-other', () => name) }
  const outer = new ChunkReader(unpackOnce({ packed, format }, watch))
  const inner = format === 'zip' ? await detectFormat(outer) : undefined
  const isTwice = inner !== undefined
  if (isTwice) tally.oddities.note('zip-in-zip', () => 'the file')
  for await (const chunk of isTwice ? unpackOnce({ packed: outer, format: inner }, watch) : outer.rest()) {
    count(chunk)
    tally.textHash.update(chunk)
    yield chunk
  }
  // The checksum of the outer archive comes last.
  if (isTwice) for await (const chunk of outer.rest()) count(chunk)
}

async function* unpackOnce({ packed, format }: Packed, watch: ZipWatch): AsyncGenerator<Buffer> {
  if (format === 'zip') yield* readZip(packed, watch)
  else yield* unpackStream(packed.rest(), format)
}

async function* unpackStream(chunks: AsyncGenerator<Buffer>, format: keyof typeof unpackers): AsyncGenerator<Buffer> {
  try {
    yield* pipeline(chunks, unpackers[format]({ chunkSize }), () => undefined)
  } catch (cause) {
    // Any other code is a fault of the disk or the network.
    const code = codeOf(cause)
    if (!/^(?:Z_|ERR_|ZSTD_)/.test(code)) throw cause
    if (code === 'Z_BUF_ERROR') throw new FileFault(`is cut short: its ${format} stream does not end`, { cause })
    throw new FileFault(`is not whole: its ${format} stream cannot be unpacked`, { cause })
  }
}

/**
 * Finds the format of a packed file by its first bytes, or by what only its server tells. Many servers send deflate
 * without the header of zlib (RFC 9110, section 8.4.1.2).
 */
async function findFormat(file: ChunkReader, encoding = ''): Promise<Format | undefined> {
  const outermost = encoding.toLowerCase().split(',').at(-1)?.trim()
  if (outermost === 'br') return 'br'
  const format = await detectFormat(file)
  if (format !== undefined || outermost !== 'deflate') return format
  const head = await file.peek(2)
  const [first = 0] = head
  return head.length === 2 && first % 16 === 8 && head.readUInt16BE() % 31 === 0 ? 'deflate' : 'raw deflate'
}

/** Detects the format of a packed file by its first bytes; undefined if it is not packed. JSON begins with none. */
async function detectFormat(file: ChunkReader): Promise<Format | undefined> {
  const head = await file.peek(localHeader.signature.length)
  if (head.equals(localHeader.signature)) return 'zip'
  const start = head.toString('latin1')
  if (start.startsWith('\x1f\x8b')) return 'gzip'
  if (start === '(\xb5/\xfd') return 'zstd'
  return ['x\x01', 'x^', 'x\x9c', 'x\xda'].includes(start.slice(0, 2)) ? 'deflate' : undefined
}

/**
 * Detects UTF-16 by the byte order mark, or by the zero byte of the first character, which is ASCII in all JSON.
 * Source: RFC 4627, section 3.
 */
function findUtf16([first, second]: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le'
  return (first === 0xfe && second === 0xff) || (first === 0 && second !== 0) ? 'utf-16be' : undefined
}
