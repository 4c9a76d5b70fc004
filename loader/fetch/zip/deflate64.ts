import type { ChunkReader } from '../chunk-reader.ts'

/** How far back a match may reach, and how long it may be. */
const [windowSize, maxMatch] = [1 << 16, 3 + 0xffff]
const bufferSize = windowSize + maxMatch + (1 << 18)
const packedChunk = 1 << 16
/** A match takes up to 60 bits. The directory of an archive is longer, so that so many bytes always follow. */
const bytesAhead = 8
/** Bits of the longest code. */
const maxCode = 15

/** Extra bits of lengths and distances: Deflate's, but for the last length and the last two distances. */
const lengthBits = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 16]
const distanceBits = Array.from({ length: 32 }, (_, code) => Math.max(0, (code >> 1) - 1))
const lengthBases = addUp(3, lengthBits).with(-1, 3)
const distanceBases = addUp(1, distanceBits)
const orderOfLengths = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

function addUp(first: number, bits: readonly number[]): readonly number[] {
  return bits.map((_, code) => bits.slice(0, code).reduce((base, count) => base + 2 ** count, first))
}

/** The data are not Deflate64. */
export class NotDeflate64 extends Error {}

/**
 * Unpacks Deflate64 up to its end, and leaves what follows in the reader. Source: RFC 1951; the window of 64 KiB, distance
 * codes 30 and 31 and the length code with 16 bits are as 7-Zip writes them.
 *
 * @throws NotDeflate64
 */
export async function* inflate64(reader: ChunkReader): AsyncGenerator<Buffer> {
  const state = new Inflate64(reader)
  for (let isLast = false; !isLast; ) {
    await state.fill()
    isLast = state.take(1) === 1
    const kind = state.take(2)
    const readSome =
      kind === 0 ? state.storedBlock() : state.codedBlock(kind === 1 ? fixedCodes : await readCodes(state, kind))
    while (!readSome()) {
      yield* state.flush()
      await state.fill()
    }
  }
  yield* state.flush(true)
  state.release()
}

/** A prefix code as a table: for the next bits, the symbol and how many bits it takes. */
type Code = Uint16Array

/** The codes of literals and lengths, and of distances. */
type Codes = readonly [Code, Code]

function buildCode(lengths: readonly number[]): Code {
  const longest = Math.max(...lengths)
  const table = new Uint16Array(1 << longest)
  let code = 0
  for (let length = 1; length <= longest; length++, code <<= 1) {
    for (const [symbol, own] of lengths.entries()) {
      if (own !== length) continue
      if (code >= 1 << length) throw new NotDeflate64()
      // The bits of a code come in reverse order.
      const first = Number.parseInt(code.toString(2).padStart(length, '0').split('').reverse().join(''), 2)
      for (let at = first; at < table.length; at += 1 << length) table[at] = (symbol << 4) | length
      code++
    }
  }
  return table
}

const repeat = (value: number, count: number): readonly number[] => Array.from({ length: count }, () => value)

const fixedCodes: Codes = [
  buildCode([...repeat(8, 144), ...repeat(9, 112), ...repeat(7, 24), ...repeat(8, 8)]),
  buildCode(repeat(5, 32)),
]

async function readCodes(state: Inflate64, kind: number): Promise<Codes> {
  if (kind === 3) throw new NotDeflate64()
  const [literals, distances, count] = [state.take(5) + 257, state.take(5) + 1, state.take(4) + 4]
  const own = [...repeat(0, orderOfLengths.length)]
  for (const position of orderOfLengths.slice(0, count)) {
    await state.fill()
    own[position] = state.take(3)
  }
  const code = buildCode(own)
  const lengths: number[] = []
  while (lengths.length < literals + distances) {
    await state.fill()
    const symbol = state.decode(code)
    const last = lengths.at(-1)
    if (symbol < 16) lengths.push(symbol)
    else if (symbol > 16) lengths.push(...repeat(0, symbol === 17 ? 3 + state.take(3) : 11 + state.take(7)))
    else if (last !== undefined) lengths.push(...repeat(last, 3 + state.take(2)))
    else throw new NotDeflate64()
  }
  if (lengths.length > literals + distances) throw new NotDeflate64()
  return [buildCode(lengths.slice(0, literals)), buildCode(lengths.slice(literals))]
}

/** The bits to read next, and what was unpacked last, as far back as a match may reach. */
class Inflate64 {
  readonly #reader: ChunkReader
  readonly #output = Buffer.alloc(bufferSize)
  #flushed = 0
  #end = 0
  #input: Buffer = Buffer.alloc(0)
  #at = 0
  #held = 0
  #count = 0

  constructor(reader: ChunkReader) {
    this.#reader = reader
  }

  /** Reads on unless enough bytes are there. */
  async fill(): Promise<void> {
    while (this.#input.length - this.#at < bytesAhead)
      this.#input = Buffer.concat([this.#rest(), await this.#reader.next(packedChunk)])
  }

  /** Returns to the reader what was not taken. */
  release(): void {
    this.#reader.putBack(this.#rest())
  }

  /** Takes up to 16 bits. */
  take(count: number): number {
    this.#hold(count)
    const taken = this.#held & ((1 << count) - 1)
    this.#held >>>= count
    this.#count -= count
    return taken
  }

  decode(code: Code): number {
    this.#hold(maxCode)
    const entry = code[this.#held & (code.length - 1)] ?? 0
    if (entry === 0) throw new NotDeflate64()
    this.take(entry & maxCode)
    return entry >> 4
  }

  /** @returns what reads as much of the block as there is room and input for, and says whether it has ended */
  storedBlock(): () => boolean {
    this.take(this.#count & 7)
    let left = this.take(16)
    if ((left ^ 0xffff) !== this.take(16)) throw new NotDeflate64()
    return () => {
      for (; left > 0 && this.#canGoOn(); left--) this.#output[this.#end++] = this.take(8)
      return left === 0
    }
  }

  codedBlock([literals, distances]: Codes): () => boolean {
    return () => {
      while (this.#canGoOn()) {
        const symbol = this.decode(literals)
        if (symbol === 256) return true
        if (symbol < 256) this.#output[this.#end++] = symbol
        else {
          const length = this.#takeValue(lengthBases, lengthBits, symbol - 257)
          this.#copy(length, this.#takeValue(distanceBases, distanceBits, this.decode(distances)))
        }
      }
      return false
    }
  }

  /** Gives what was unpacked, if no more has room or nothing more comes, and keeps what matches may reach. */
  *flush(isEnd = false): Generator<Buffer> {
    if (!isEnd && this.#end + maxMatch <= bufferSize) return
    yield Buffer.from(this.#output.subarray(this.#flushed, this.#end))
    this.#flushed = Math.min(this.#end, windowSize)
    this.#output.copyWithin(0, this.#end - this.#flushed, this.#end)
    this.#end = this.#flushed
  }

  #canGoOn(): boolean {
    return this.#input.length - this.#at >= bytesAhead && this.#end + maxMatch <= bufferSize
  }

  #rest(): Buffer {
    const rest = this.#input.subarray(this.#at - (this.#count >> 3))
    this.#count &= 7
    this.#held &= (1 << this.#count) - 1
    this.#at = 0
    return rest
  }

  #hold(count: number): void {
    for (; this.#count < count; this.#count += 8) this.#held |= (this.#input[this.#at++] ?? 0) << this.#count
  }

  #takeValue(bases: readonly number[], extra: readonly number[], code: number): number {
    const [base, count] = [bases[code], extra[code]]
    if (base === undefined || count === undefined) throw new NotDeflate64()
    return base + this.take(count)
  }

  #copy(length: number, distance: number): void {
    const output = this.#output
    if (distance > this.#end) throw new NotDeflate64()
    for (const end = this.#end + length; this.#end < end; this.#end++)
      output[this.#end] = output[this.#end - distance] ?? 0
  }
}
