import { uint8At } from '../../schema/at.ts'
import { type ChunkReader, EndsEarly } from '../chunk-reader.ts'
import { maxCodeBits, NotPrefixCode, PrefixCode } from './prefix-code.ts'

/** Longest distance and longest length of a match, in bytes. */
const [windowSize, maxMatch] = [1 << 16, 3 + 0xffff]
const bufferSize = windowSize + maxMatch + (1 << 18)
const packedChunk = 1 << 16
/**
 * Bytes of input that must be there before a match is read, which takes up to 60 bits. In an archive they always
 * follow, because its directory is longer.
 */
const bytesAhead = 8
/** Longest head of a block, in bytes: its kind, and at most 19 and 320 lengths of codes of up to 3 and 14 bits. */
const longestHead = 600

/** Least value of each code of a kind, and the number of bits that are read and added to it. */
type Values = readonly (readonly [base: number, bits: number])[]

/** The values of lengths and distances: those of Deflate, except for the last length and the last two distances. */
const lengthValues = addUp(3, 28, (code) => Math.max(0, (code >> 2) - 1)).concat([[3, 16]])
const distanceValues = addUp(1, 32, (code) => Math.max(0, (code >> 1) - 1))

function addUp(first: number, count: number, bitsOf: (code: number) => number): Values {
  const values: [number, number][] = []
  for (let code = 0, base = first; code < count; base += 2 ** bitsOf(code++)) values.push([base, bitsOf(code)])
  return values
}

const repeat = (value: number, count: number): readonly number[] => Array.from({ length: count }, () => value)

/** The codes of literals and lengths, and of distances. */
type Codes = readonly [PrefixCode, PrefixCode]

const fixedCodes: Codes = [
  new PrefixCode([...repeat(8, 144), ...repeat(9, 112), ...repeat(7, 24), ...repeat(8, 8)]),
  new PrefixCode(repeat(5, 32)),
]

/** Order of the code lengths of the code in which code lengths are written. Source: RFC 1951, 3.2.7. */
const orderOfLengths = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

/** The input is not Deflate64. */
export class NotDeflate64 extends Error {}

/**
 * Unpacks Deflate64 up to its end, and leaves the bytes after it in the reader. Source: RFC 1951; the window of 64 KiB,
 * distance codes 30 and 31 and the length code with 16 bits are as 7-Zip writes them.
 *
 * @param onCode called with the work of each prefix code that a block defines, in entries of tables
 * @throws NotDeflate64
 * @throws EndsEarly
 */
export async function* inflate64(
  reader: ChunkReader,
  onCode: (entries: number) => void = () => {},
): AsyncGenerator<Buffer> {
  const state = new Inflate64(onCode)
  for (const _ of state.unpack()) {
    yield state.flush()
    await state.fill(reader)
  }
  yield state.flush()
  reader.putBack(state.remainder())
}

/** The input, and the unpacked bytes as far back as a match may reach. */
class Inflate64 {
  #input: Buffer = Buffer.alloc(0)
  /** Position of the next bit of the input. */
  #bit = 0
  readonly #output = Buffer.alloc(bufferSize)
  #end = 0
  #flushed = 0
  readonly #onCode: (entries: number) => void

  constructor(onCode: (entries: number) => void) {
    this.#onCode = onCode
  }

  /** Returns the bytes unpacked since the last call, and keeps those that matches may reach. */
  flush(): Buffer {
    const unpacked = Buffer.from(this.#output.subarray(this.#flushed, this.#end))
    this.#flushed = Math.min(this.#end, windowSize)
    this.#output.copyWithin(0, this.#end - this.#flushed, this.#end)
    this.#end = this.#flushed
    return unpacked
  }

  /**
   * Reads more input, unless there is enough for the head of a block.
   *
   * @throws EndsEarly
   */
  async fill(reader: ChunkReader): Promise<void> {
    if (this.#bytesLeft >= longestHead) return
    this.#input = Buffer.concat([this.#input.subarray(this.#bit >> 3), await reader.takeUpTo(packedChunk)])
    this.#bit &= 7
    if (this.#bytesLeft < bytesAhead) throw new EndsEarly()
  }

  /** Returns the input after the end of the data. */
  remainder(): Buffer {
    return this.#input.subarray((this.#bit + 7) >> 3)
  }

  /** Unpacks up to the end of the data, and pauses when there is no room or too little input. */
  *unpack(): Generator<void> {
    for (let isLast = false; !isLast; ) {
      if (this.#bytesLeft < longestHead) yield
      isLast = this.#take(1) === 1
      const kind = this.#take(2)
      if (kind === 3) throw new NotDeflate64()
      if (kind === 0) yield* this.#passStored()
      else yield* this.#passCoded(kind === 1 ? fixedCodes : this.#readCodes())
    }
  }

  *#passStored(): Generator<void> {
    this.#take(-this.#bit & 7)
    const length = this.#take(16)
    if ((length ^ 0xffff) !== this.#take(16)) throw new NotDeflate64()
    for (let missing = length; missing > 0; missing--) {
      if (this.#mustPause()) yield
      this.#output[this.#end++] = this.#take(8)
    }
  }

  *#passCoded([literals, distances]: Codes): Generator<void> {
    for (;;) {
      if (this.#mustPause()) yield
      const symbol = this.#decode(literals)
      if (symbol === 256) return
      if (symbol < 256) this.#output[this.#end++] = symbol
      else {
        const length = this.#takeValue(lengthValues, symbol - 257)
        this.#copy(length, this.#takeValue(distanceValues, this.#decode(distances)))
      }
    }
  }

  #buildCode(lengths: readonly number[]): PrefixCode {
    try {
      const code = new PrefixCode(lengths)
      this.#onCode(code.work)
      return code
    } catch (error) {
      if (error instanceof NotPrefixCode) throw new NotDeflate64()
      throw error
    }
  }

  #readCodes(): Codes {
    const [literals, distances, count] = [this.#take(5) + 257, this.#take(5) + 1, this.#take(4) + 4]
    const codeLengths = [...repeat(0, orderOfLengths.length)]
    for (const position of orderOfLengths.slice(0, count)) codeLengths[position] = this.#take(3)
    const code = this.#buildCode(codeLengths)
    const lengths: number[] = []
    while (lengths.length < literals + distances) {
      const symbol = this.#decode(code)
      const last = lengths.at(-1)
      if (symbol < 16) lengths.push(symbol)
      else if (symbol > 16) lengths.push(...repeat(0, symbol === 17 ? 3 + this.#take(3) : 11 + this.#take(7)))
      else if (last !== undefined) lengths.push(...repeat(last, 3 + this.#take(2)))
      else throw new NotDeflate64()
    }
    if (lengths.length > literals + distances) throw new NotDeflate64()
    return [this.#buildCode(lengths.slice(0, literals)), this.#buildCode(lengths.slice(literals))]
  }

  /** Bytes of input that have not been unpacked. */
  get #bytesLeft(): number {
    return this.#input.length - (this.#bit >> 3)
  }

  /** True if there is too little input or room for a match. */
  #mustPause(): boolean {
    return this.#bytesLeft < bytesAhead || this.#end + maxMatch > bufferSize
  }

  /** Returns the next bits without taking them, at least 17, the first in the lowest place. */
  #look(): number {
    const input = this.#input
    const at = this.#bit >> 3
    if (at >= input.length) throw new EndsEarly()
    // Codes may end in the last byte of the input. Bits beyond it are looked at but never used, so zeros will do.
    const bits = uint8At(input, at) | ((input[at + 1] ?? 0) << 8) | ((input[at + 2] ?? 0) << 16)
    return bits >> (this.#bit & 7)
  }

  /** Takes up to 16 bits. */
  #take(count: number): number {
    const bits = this.#look() & ((1 << count) - 1)
    this.#bit += count
    return bits
  }

  #decode(code: PrefixCode): number {
    const entry = code.find(this.#look())
    if (entry === 0) throw new NotDeflate64()
    this.#bit += entry & maxCodeBits
    return entry >> 4
  }

  #takeValue(values: Values, code: number): number {
    const value = values[code]
    if (value === undefined) throw new NotDeflate64()
    return value[0] + this.#take(value[1])
  }

  #copy(length: number, distance: number): void {
    const output = this.#output
    if (distance > this.#end) throw new NotDeflate64()
    for (const end = this.#end + length; this.#end < end; this.#end++)
      output[this.#end] = uint8At(output, this.#end - distance)
  }
}
