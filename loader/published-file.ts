import { constants } from 'node:buffer'
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { findJsonFault } from './json-fault.ts'
import { LoadRefused } from './load-refused.ts'
import { keepCharacters } from './published-number.ts'

/** A file of JSON as a payer publishes it. */
export interface PublishedFile {
  /** The path as the operator gave it; messages name it. */
  readonly path: string
  /** Base name, without the query string that a download by URL leaves in it. */
  readonly name: string
  /** Size on disk. */
  readonly bytes: number
  /** SHA-256 of the JSON text's bytes in hex: the same for a file and its gzip. */
  readonly contentHash: string
  /** The JSON, read with `keepCharacters`. */
  readonly content: unknown
}

const unzip = promisify(gunzip)

/** The longest string that the engine can hold; the text of a file is one string. */
const mostBytes = constants.MAX_STRING_LENGTH

/**
 * Reads a file of JSON in UTF-8, with or without byte order mark, gzipped or not (told by its first bytes, since
 * published names lie).
 *
 * @throws LoadRefused where it cannot be read, is too large for this reader, or is not JSON
 */
export async function readPublishedFile(path: string): Promise<PublishedFile> {
  const raw = await readBytes(path)
  if (startsWith(raw, [0x50, 0x4b, 0x03, 0x04])) throw new LoadRefused(path, 'is a zip archive: unpack it first')
  const bytes = startsWith(raw, [0x1f, 0x8b]) ? await unzipBytes(path, raw) : raw
  return {
    path,
    name: baseNameOf(path),
    bytes: raw.length,
    contentHash: createHash('sha256').update(bytes).digest('hex'),
    content: parseJson(path, decode(bytes)),
  }
}

async function readBytes(path: string): Promise<Buffer> {
  const { size } = await stat(path).catch((cause: unknown) => refuseUnreadable(path, cause))
  if (size > mostBytes) throw tooLarge(path)
  return readFile(path).catch((cause: unknown) => refuseUnreadable(path, cause))
}

async function unzipBytes(path: string, bytes: Buffer): Promise<Buffer> {
  return unzip(bytes, { maxOutputLength: mostBytes }).catch((cause: unknown) => {
    const code = codeOf(cause)
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(path)
    if (code === 'Z_BUF_ERROR') throw new LoadRefused(path, 'is cut short: its gzip stream does not end', { cause })
    throw new LoadRefused(path, 'is not whole: its gzip stream cannot be unpacked', { cause })
  })
}

function decode(bytes: Buffer): string {
  return bytes.toString('utf8', startsWith(bytes, [0xef, 0xbb, 0xbf]) ? 3 : 0)
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text, keepCharacters)
  } catch (cause) {
    if (cause instanceof RangeError) throw new LoadRefused(path, 'is nested too deeply', { cause })
    const fault = findJsonFault(text)
    if (fault === undefined) throw cause
    const where = `line ${fault.line}, column ${fault.column}`
    const message = fault.cutShort ? `is cut short at ${where}` : `is not JSON: ${fault.expected} expected at ${where}`
    throw new LoadRefused(path, message, { cause })
  }
}

function baseNameOf(path: string): string {
  const name = basename(path)
  return (name.split('?', 1)[0] || name).toWellFormed()
}

function tooLarge(path: string): LoadRefused {
  return new LoadRefused(path, `is too large: this loader reads files of up to ${mostBytes} bytes of JSON`)
}

function refuseUnreadable(path: string, cause: unknown): never {
  throw new LoadRefused(path, `cannot be read (${codeOf(cause) ?? 'unknown error'})`, { cause })
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

function startsWith(bytes: Buffer, signature: readonly number[]): boolean {
  return signature.every((byte, index) => bytes[index] === byte)
}
