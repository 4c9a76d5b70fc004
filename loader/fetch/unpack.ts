import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { codeOf } from './error-code.ts'
import { LoadRefused } from './load-refused.ts'
import { Occurrences } from './occurrences.ts'
import { readZip, type ZipWatch } from './zip/read-zip.ts'

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

const gzipMark = [0x1f, 0x8b]
const zipMark = [0x50, 0x4b, 0x03, 0x04]
const chunkSize = 1 << 20

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
  const head = await readHead(chunks)
  const text = isPacked(head) ? unpackText(head, prepend(head, chunks), path, tally, isWanted) : prepend(head, chunks)
  const start = await readHead(text)
  if (isPacked(start)) throw new LoadRefused(path, 'is packed several times over: unpack it first')
  refusePage(start, path)
  const encoding = findUtf16(start)
  if (encoding === undefined) return yield* prepend(start, text)
  tally.oddities.note('utf16', () => 'the file')
  const decoder = new TextDecoder(encoding)
  for await (const chunk of prepend(start, text)) yield Buffer.from(decoder.decode(chunk, { stream: true }))
  yield Buffer.from(decoder.decode())
}

/** Unpacks a gzip or a zip, and what a zip packs once more. */
async function* unpackText(
  head: Buffer,
  whole: AsyncGenerator<Buffer>,
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
  const outer = unpackOnce(head, whole, path, watch)
  const within = await readHead(outer)
  const isTwice = startsWith(head, zipMark) && isPacked(within)
  if (isTwice) tally.oddities.note('zip-in-zip', () => 'the file')
  const rest = prepend(within, outer)
  for await (const chunk of isTwice ? unpackOnce(within, rest, path, watch) : rest) {
    count(chunk)
    tally.textHash.update(chunk)
    yield chunk
  }
  // The checksum of the outer archive comes last.
  if (isTwice) for await (const chunk of rest) count(chunk)
}

const unpackOnce = (head: Buffer, whole: AsyncGenerator<Buffer>, path: string, watch: ZipWatch) =>
  startsWith(head, gzipMark) ? unpackGzip(whole, path) : readZip(whole, path, watch)

async function* unpackGzip(chunks: AsyncIterable<Buffer>, path: string): AsyncGenerator<Buffer> {
  const source = Readable.from(chunks, { objectMode: false, highWaterMark: chunkSize })
  const gunzip = createGunzip({ chunkSize })
  // `pipe` does not carry errors over.
  source.on('error', (error) => gunzip.destroy(error)).pipe(gunzip)
  try {
    yield* gunzip
  } catch (cause) {
    // The rest are faults of the file's source.
    const code = codeOf(cause)
    if (!code.startsWith('Z_')) throw cause
    if (code === 'Z_BUF_ERROR') throw new LoadRefused(path, 'is cut short: its gzip stream does not end', { cause })
    throw new LoadRefused(path, 'is not whole: its gzip stream cannot be unpacked', { cause })
  } finally {
    source.destroy()
  }
}

/** Reads enough bytes to detect the format: a pipe may deliver them one by one. */
async function readHead(chunks: AsyncGenerator<Buffer>): Promise<Buffer> {
  let head: Buffer = Buffer.alloc(0)
  while (head.length < zipMark.length) {
    const { value, done } = await chunks.next()
    if (done) break
    head = head.length === 0 ? value : Buffer.concat([head, value])
  }
  return head
}

async function* prepend(head: Buffer, chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (head.length > 0) yield head
  yield* chunks
}

/** By the byte order mark, or by the zero in the first character, which JSON takes from ASCII. Source: RFC 4627, section 3. */
function findUtf16([first, second]: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le'
  return (first === 0xfe && second === 0xff) || (first === 0 && second !== 0) ? 'utf-16be' : undefined
}

/** JSON never begins with this sign. */
function refusePage(start: Buffer, path: string): void {
  if (/^(?:\xef\xbb\xbf)?\s*</.test(start.toString('latin1', 0, pageStart)))
    throw new LoadRefused(path, 'is XML or a web page, not JSON: a login may have expired, or a proxy have answered')
}

const pageStart = 1024

const isPacked = (head: Buffer): boolean => startsWith(head, gzipMark) || startsWith(head, zipMark)

const startsWith = (bytes: Buffer, mark: readonly number[]) => mark.every((byte, index) => bytes[index] === byte)
