import { uint8At, uint32At } from '../../../schema/at.ts'
import type { DistinctValues } from './distinct-values.ts'

/** Stands for the number of an absent text. The engine holds larger numbers as floats, which are slower. */
export const noText = 0x3f_ff_ff_ff

/** The bytes and starts of the texts of a list. */
type SavedTexts = readonly [bytes: Buffer<ArrayBuffer>, starts: Uint32Array<ArrayBuffer>]

/** Texts in the encoding PLAIN, numbered from 0. Source: Apache Parquet format, "Plain". */
export class TextList implements DistinctValues {
  count = 0
  /** The texts, each after its length in four bytes. */
  bytes = Buffer.alloc(initialBytes)
  /** By text: the start of its entry in `bytes`; then the end of the last entry. */
  starts = new Uint32Array(initialTexts + 1)
  /** By text: its first bytes, as `prefixOf` returns them. */
  #prefixes = new Uint32Array(initialTexts)

  /** @returns the number of the text, which is not in the list yet */
  push(text: string): number {
    const [start, end] = this.write(text)
    return this.pushBytes(this.bytes, start, end)
  }

  /**
   * Writes a text after the others, where it stays until the next one is added.
   *
   * @returns the start and end of its bytes
   */
  protected write(text: string): readonly [start: number, end: number] {
    const start = uint32At(this.starts, this.count) + lengthBytes
    this.#makeRoom(start + longestCharacter * text.length)
    return [start, start + this.bytes.write(text, start)]
  }

  /** @returns the number of the text with these bytes in UTF-8, which is not in the list yet */
  pushBytes(source: Uint8Array, start: number, end: number): number {
    if (this.count === this.#prefixes.length) this.#enlarge()
    const index = this.count++
    this.#prefixes[index] = prefixOf(source, start, end)
    let at = uint32At(this.starts, index)
    const endOfEntry = at + lengthBytes + end - start
    this.#makeRoom(endOfEntry)
    this.bytes.writeUInt32LE(end - start, at)
    at += lengthBytes
    for (let from = start; from < end; from++) this.bytes[at++] = uint8At(source, from)
    this.starts[index + 1] = endOfEntry
    return index
  }

  /** Returns the texts for `restore`, valid until others are added. */
  view(): SavedTexts {
    const starts = this.starts.subarray(0, this.count + 1)
    return [this.bytes.subarray(0, uint32At(starts, this.count) + wordBytes), starts]
  }

  /** Takes the texts of another list. Nothing may be added afterwards. */
  restore([bytes, starts]: SavedTexts): void {
    this.bytes = bytes
    this.starts = starts
    this.count = starts.length - 1
    this.#prefixes = new Uint32Array(this.count)
    for (let index = 0; index < this.count; index++)
      this.#prefixes[index] = prefixOf(bytes, uint32At(starts, index) + lengthBytes, uint32At(starts, index + 1))
  }

  at(index: number): string {
    return this.bytes.toString('utf8', uint32At(this.starts, index) + lengthBytes, this.starts[index + 1])
  }

  /** The first byte of a text; 0 if it is empty. */
  firstByteOf(index: number): number {
    return uint32At(this.#prefixes, index) >>> 24
  }

  encode(texts: Uint32Array, count: number): Buffer {
    const encoded = texts.subarray(0, count)
    const size = sumSizes(this.starts, encoded)
    const target = Buffer.allocUnsafe(size + wordBytes)
    copyTexts(viewOf(target), viewOf(this.bytes), this.starts, encoded)
    return target.subarray(0, size)
  }

  /** Compares texts by their bytes, as Parquet orders them. */
  compare(one: number, other: number): number {
    const difference = uint32At(this.#prefixes, one) - uint32At(this.#prefixes, other)
    return difference === 0 ? this.#compareBytes(one, other) : difference
  }

  #compareBytes(one: number, other: number): number {
    let a = uint32At(this.starts, one) + lengthBytes
    let b = uint32At(this.starts, other) + lengthBytes
    const [endOfA, endOfB] = [uint32At(this.starts, one + 1), uint32At(this.starts, other + 1)]
    while (a < endOfA && b < endOfB) {
      const difference = uint8At(this.bytes, a++) - uint8At(this.bytes, b++)
      if (difference !== 0) return difference
    }
    return endOfA - a - (endOfB - b)
  }

  /** Makes room for bytes up to `end`, and for the whole word in which they end. */
  #makeRoom(end: number): void {
    if (end + wordBytes <= this.bytes.length) return
    const grown = Buffer.alloc(2 * end)
    this.bytes.copy(grown)
    this.bytes = grown
  }

  #enlarge(): void {
    const room = 2 * this.#prefixes.length
    const [prefixes, starts] = [new Uint32Array(room), new Uint32Array(room + 1)]
    prefixes.set(this.#prefixes)
    starts.set(this.starts)
    this.#prefixes = prefixes
    this.starts = starts
  }
}

// Loops over many texts are functions of their own, as in loader/write/parquet/find-distinct.ts.

function sumSizes(starts: Uint32Array, texts: Uint32Array): number {
  let size = 0
  for (let index = 0; index < texts.length; index++) {
    const text = uint32At(texts, index)
    size += uint32At(starts, text + 1) - uint32At(starts, text)
  }
  return size
}

/**
 * Copies texts word by word: most are too short for a call that copies bytes. The next text overwrites the bytes that
 * the last word has beyond the end of its text.
 */
function copyTexts(target: DataView, source: DataView, starts: Uint32Array, texts: Uint32Array): void {
  let to = 0
  for (let index = 0; index < texts.length; index++) {
    const text = uint32At(texts, index)
    const start = uint32At(starts, text)
    const end = uint32At(starts, text + 1)
    for (let from = start; from < end; from += wordBytes)
      target.setInt32(to + from - start, source.getInt32(from, true), true)
    to += end - start
  }
}

const viewOf = ({ buffer, byteOffset, length }: Buffer) => new DataView(buffer, byteOffset, length)

/** Returns the first four bytes as a number, with zeros in place of missing ones. */
function prefixOf(source: Uint8Array, start: number, end: number): number {
  let prefix = 0
  for (let at = start; at < start + 4; at++) prefix = (prefix << 8) | (at < end ? uint8At(source, at) : 0)
  return prefix
}

/** Maximum number of bytes in UTF-8 of a unit of UTF-16. */
const longestCharacter = 3
/** Number of bytes of the length before a text. */
export const lengthBytes = 4
const wordBytes = 4
const initialTexts = 256
const initialBytes = 1 << 13
