import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../errors.ts'

/** Version of the file to which the bytes belong: bytes of different versions must not be mixed. */
interface Origin {
  readonly etag: string
  /** Size of the whole file in bytes. */
  readonly total: number
}

/** The state of a partial file when it is opened: its expected and its present size, in bytes. */
interface PartialState {
  readonly expected: number
  readonly origin: Origin | undefined
  readonly size: number
}

/**
 * An unfinished download: its bytes in `<path>.part`, and their version in `<path>.part.json`. Both survive the
 * process. The second is written first, so that the origin of every byte is known. Two processes may download the same
 * file at the same time: each writes the same bytes at the same offsets, without gaps, and neither truncates the
 * other's file.
 */
export class PartialFile {
  readonly #path: string
  readonly #handle: FileHandle
  #origin: Origin | undefined
  #size: number

  /** Size that the manifest states, in bytes; a file of another size is refused. */
  readonly expected: number

  private constructor(path: string, handle: FileHandle, { expected, origin, size }: PartialState) {
    this.#path = path
    this.expected = expected
    this.#handle = handle
    this.#origin = origin
    this.#size = size
  }

  /** Opens the partial file of an earlier download, or creates one. */
  static async open(path: string, expected: number): Promise<PartialFile> {
    const handle = await openPlainFile(partPath(path), constants.O_RDWR | constants.O_CREAT)
    try {
      // Read in this order: another process writes the version before the first byte.
      const { size, nlink } = await handle.stat()
      if (nlink > 1) throw new Error(`${partPath(path)} has a second name: move it away`)
      const storedOrigin = await readOrigin(path)
      const origin = storedOrigin?.total === expected ? storedOrigin : undefined
      if (origin === undefined && size > 0) await handle.truncate(0)
      return new PartialFile(path, handle, { expected, origin, size: origin === undefined ? 0 : size })
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  /** Number of bytes in the file. */
  get size(): number {
    return this.#size
  }

  get origin(): Origin | undefined {
    return this.#origin
  }

  get isWhole(): boolean {
    return this.#origin !== undefined && this.#size === this.#origin.total
  }

  /** Discards all bytes, and stores the version of the bytes to come. */
  async restart(origin?: Origin): Promise<void> {
    if (this.#size > 0) {
      await rm(originPath(this.#path), { force: true })
      await this.#handle.truncate(0)
    }
    this.#size = 0
    this.#origin = origin
    if (origin === undefined) return
    await writeOrigin(this.#path, origin)
  }

  /** @throws RangeError for more bytes than expected, which a compressed answer may have */
  async append(bytes: Uint8Array): Promise<void> {
    if (this.#size + bytes.length > this.expected) throw new RangeError('the storage sent more bytes than were stated')
    for (let written = 0; written < bytes.length; ) {
      const { bytesWritten } = await this.#handle.write(bytes, written, bytes.length - written, this.#size)
      this.#size += bytesWritten
      written += bytesWritten
    }
  }

  read(): AsyncGenerator<Uint8Array, void> {
    return readBytes(this.#handle)
  }

  /** The first and the last bytes of the file. */
  async readEnds(length: number): Promise<readonly [start: Uint8Array, end: Uint8Array]> {
    const at = async (position: number) => {
      const { buffer, bytesRead } = await this.#handle.read(new Uint8Array(length), 0, length, position)
      return buffer.subarray(0, bytesRead)
    }
    return [await at(0), await at(Math.max(0, this.#size - length))]
  }

  /** Flushes the file to disk and renames it to its final name. */
  async finish(): Promise<void> {
    await this.#handle.sync()
    await this.#handle.close()
    try {
      await rename(partPath(this.#path), this.#path)
    } catch (error) {
      // Another process was first, with the same bytes.
      if ((await stat(this.#path)).size !== this.#size) throw error
    }
    await rm(originPath(this.#path), { force: true })
  }

  /** Closes the file and keeps its bytes. */
  async close(): Promise<void> {
    await this.#handle.close()
  }
}

/** Reads a file from its start, a megabyte at a time. */
export async function* readBytes(handle: FileHandle): AsyncGenerator<Uint8Array, void> {
  const buffer = new Uint8Array(1 << 20)
  for (let position = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

/**
 * Opens a regular file and refuses a link, which somebody else may have put into a shared folder. Windows lacks
 * `O_NOFOLLOW`, so a link that is created between the check and the opening is followed there.
 */
export async function openPlainFile(path: string, flags: number): Promise<FileHandle> {
  const status = await lstat(path).catch(() => undefined)
  if (status?.isFile() === false) throw new Error('it is a link, a folder or a device: move it away')
  return await open(path, flags | (constants.O_NOFOLLOW ?? 0))
}

/**
 * Removes the leftovers of killed downloads. Call it once the files are complete.
 *
 * @param names names of files in the folder
 */
export async function removeLeftovers(folder: string, names: readonly string[]): Promise<void> {
  const origins = new Set(names.map(originPath))
  const leftovers = (await readdir(folder)).filter((name) => origins.has(name.replace(/(\.part\.json)\.[^.]*$/, '$1')))
  await Promise.all(leftovers.map((name) => rm(join(folder, name), { force: true })))
}

const partPath = (path: string) => `${path}.part`

const originPath = (path: string) => `${path}.part.json`

async function writeOrigin(path: string, origin: Origin): Promise<void> {
  const draft = `${originPath(path)}.${randomUUID()}`
  for (;;) {
    await writeFile(draft, JSON.stringify(origin), { flush: true })
    try {
      return await rename(draft, originPath(path))
    } catch (error) {
      // Another process has completed the file and removed the draft as a leftover.
      if (codeOf(error) !== 'ENOENT') throw error
    }
  }
}

async function readOrigin(path: string): Promise<Origin | undefined> {
  try {
    const { etag, total }: Partial<Origin> = JSON.parse(await readFile(originPath(path), 'utf8'))
    return typeof etag === 'string' && typeof total === 'number' ? { etag, total } : undefined
  } catch {
    return undefined
  }
}
