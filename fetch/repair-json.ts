import { uint8At } from '../schema/at.ts'
import { cureScalar, maxScalar } from './cure-scalar.ts'
import type { Occurrences } from './occurrences.ts'

/** The faults of JSON that can be cured in one way only. */
export const repairRules = [
  'trailing-comma',
  'stray-backslash',
  'raw-character',
  'odd-number',
  'odd-word',
  'padding',
] as const

export type RepairRule = (typeof repairRules)[number]

type RepairLog = Pick<Occurrences<RepairRule>, 'note'>

const [quote, comma, colon, backslash, space] = [0x22, 0x2c, 0x3a, 0x5c, 0x20]
const closing = new Set(Buffer.from(']}'))
/** A comma after one of these follows no value. */
const opening = new Set(Buffer.from('[{,:'))
const structural = new Set(Buffer.from('[]{},:"'))
const blank = new Set(Buffer.from(' \t\r\n'))
/** Characters that a backslash may escape. Source: RFC 8259, section 7. */
const escapable = new Set(Buffer.from('"\\/bfnrtu'))
/** NUL fills the last block of a file, and Ctrl-Z ends a text of DOS. */
const padding = new Set([0, 0x1a])
/** The only field of payers' files whose numbers are amounts. */
const amountField = Buffer.from('negotiated_rate')

/** A comma whose next character other than white space has not been read yet. */
interface OpenComma {
  /** Position in the published file, in bytes. */
  readonly byte: number
  readonly chunk: Buffer
  /** Position in the chunk, in bytes; in the repaired one, once the chunk is held back. */
  at: number
}

/** Maximum white space held back after a comma, in bytes: a comma before more of it is not repaired. */
const maxHeld = 1 << 26

/**
 * Repairs faults of JSON that can be cured in one way only: a comma after the last value of an array or object is
 * dropped; a backslash that escapes nothing and a control character in a text stand for themselves; numbers and words
 * are cured by `cureScalar`; and NULs after the end are dropped.
 *
 * @param oddities gets an occurrence for each repair, with its byte in the published file
 */
export async function* repairJson(chunks: AsyncIterable<Buffer>, oddities: RepairLog): AsyncGenerator<Buffer> {
  const repair = new JsonRepair(oddities)
  for await (const published of chunks) yield* repair.take(published)
  yield* repair.finish()
}

class JsonRepair {
  readonly #oddities: RepairLog
  #chunk: Buffer = Buffer.alloc(0)
  /** Position of the chunk in the published file, in bytes. */
  #offset = 0
  /** The start of a number or word that goes on in the next chunk. */
  #start: Buffer = Buffer.alloc(0)
  /** True while a number or word goes on that is too long to be cured. */
  #isInLongScalar = false
  #isText = false
  #isEscaped = false
  /** Number of first characters of the last text that are those of `amountField`; -1 if it is another text. */
  #matched = 0
  /** The last character that is not white space. */
  #before = 0
  #depth = 0
  #isPadded = false
  #open: OpenComma | undefined
  /** Repaired chunks that have to wait: the chunk of the open comma and those after it. */
  #held: Buffer[] = []
  /** The repaired chunk, up to the last repair, and where the rest of the published one begins. */
  #repaired: Buffer = Buffer.alloc(0)
  #length = 0
  #from = 0

  constructor(oddities: RepairLog) {
    this.#oddities = oddities
  }

  /** Repairs a chunk. @returns the chunks that need not wait for what follows */
  take(published: Buffer): readonly Buffer[] {
    this.#chunk = this.#start.length === 0 ? published : Buffer.concat([this.#start, published])
    this.#repaired = Buffer.alloc(0)
    this.#length = 0
    this.#from = 0
    const stop = this.#pass()
    this.#start = Buffer.from(this.#chunk.subarray(stop))
    const isRepaired = this.#from > 0 || this.#length > 0
    if (isRepaired) this.#replace(stop, stop, '')
    this.#offset += stop
    return this.#release(isRepaired ? this.#repaired.subarray(0, this.#length) : this.#chunk.subarray(0, stop), stop)
  }

  finish(): readonly Buffer[] {
    return [...this.#held, this.#start]
  }

  #release(repaired: Buffer, length: number): readonly Buffer[] {
    if (this.#open !== undefined && this.#offset - this.#open.byte > maxHeld) this.#open = undefined
    const released = this.#open === undefined || this.#open.chunk === this.#chunk ? this.#held.splice(0) : []
    if (this.#open === undefined) return [...released, repaired]
    // Nothing but white space follows the comma, so it is as far from the end as before.
    if (this.#open.chunk === this.#chunk) this.#open.at += repaired.length - length
    this.#held.push(repaired)
    return released
  }

  /** @returns the position of what has to wait for the next chunk: a number or word that may go on */
  #pass(): number {
    const chunk = this.#chunk
    let at = this.#isInLongScalar ? this.#endOfScalar(0) : 0
    if (at < chunk.length) this.#isInLongScalar = false
    while (at < chunk.length) {
      const next = uint8At(chunk, at)
      if (this.#isText) at = this.#passText(at)
      else if (blank.has(next)) at++
      else if (next <= space || structural.has(next)) at = this.#passSign(next, at)
      else {
        const end = this.#endOfScalar(at)
        if (end === chunk.length && end - at <= maxScalar) return at
        this.#passScalar(at, end)
        at = end
      }
    }
    return at
  }

  /** Passes a text to its end or that of the chunk. */
  #passText(start: number): number {
    const chunk = this.#chunk
    for (let at = start; at < chunk.length; at++) {
      const next = uint8At(chunk, at)
      if (this.#isEscaped) {
        this.#isEscaped = false
        // A backslash before a line break means several things, so both stay.
        if (next < space || escapable.has(next)) continue
        this.#note('stray-backslash', at - 1)
        this.#replace(at, at, '\\')
      } else if (next === quote) {
        this.#isText = false
        this.#before = quote
        return at + 1
      } else if (next === backslash) this.#isEscaped = true
      else if (next < space) {
        this.#note('raw-character', at)
        this.#replace(at, at + 1, JSON.stringify(String.fromCharCode(next)).slice(1, -1))
      }
      this.#matched = next === amountField[this.#matched] ? this.#matched + 1 : -1
    }
    return chunk.length
  }

  /** Passes a bracket, a comma, a colon, the quote that begins a text, or padding. */
  #passSign(next: number, at: number): number {
    if (padding.has(next) && this.#depth === 0 && closing.has(this.#before)) return this.#passPadding(at)
    const isClosing = closing.has(next)
    if (this.#open !== undefined && isClosing) this.#dropComma(this.#open)
    const isAfterValue = next === comma && !opening.has(this.#before)
    this.#open = isAfterValue ? { byte: this.#offset + at, chunk: this.#chunk, at } : undefined
    this.#isText = next === quote
    if (this.#isText) this.#matched = 0
    if (isClosing) this.#depth--
    else if (opening.has(next) && next !== comma && next !== colon) this.#depth++
    this.#before = next
    return at + 1
  }

  #passPadding(start: number): number {
    let end = start
    while (end < this.#chunk.length && padding.has(uint8At(this.#chunk, end))) end++
    if (!this.#isPadded) this.#note('padding', start)
    this.#isPadded = true
    this.#replace(start, end, '')
    return end
  }

  #passScalar(start: number, end: number): void {
    const isLong = end - start > maxScalar
    this.#isInLongScalar = isLong && end === this.#chunk.length
    const isAmount = this.#before === colon && this.#matched === amountField.length
    const cure = isLong ? undefined : cureScalar(this.#chunk.toString('latin1', start, end), isAmount)
    if (cure !== undefined) {
      this.#note(cure.rule, start)
      this.#replace(start, end, cure.json)
    }
    this.#open = undefined
    this.#before = uint8At(this.#chunk, end - 1)
  }

  #endOfScalar(start: number): number {
    let end = start
    while (end < this.#chunk.length && isOfScalar(uint8At(this.#chunk, end))) end++
    return end
  }

  #dropComma({ byte, chunk, at }: OpenComma): void {
    this.#oddities.note('trailing-comma', () => `byte ${byte}`)
    if (chunk === this.#chunk) {
      this.#replace(at, at + 1, ' ')
      return
    }
    // The published bytes are others' too.
    const [first, ...others] = this.#held
    if (first === undefined) throw new Error('the chunk of an open comma is not held back')
    const repaired = Buffer.from(first)
    repaired[at] = space
    this.#held = [repaired, ...others]
  }

  #note(rule: RepairRule, at: number): void {
    const byte = this.#offset + at
    this.#oddities.note(rule, () => `byte ${byte}`)
  }

  /** Writes what precedes a part of the chunk, and a text in place of the part. */
  #replace(start: number, end: number, text: string): void {
    const length = this.#length + start - this.#from + text.length
    if (length > this.#repaired.length) {
      const larger = Buffer.allocUnsafe(2 * Math.max(length, this.#chunk.length))
      this.#repaired.copy(larger, 0, 0, this.#length)
      this.#repaired = larger
    }
    this.#chunk.copy(this.#repaired, this.#length, this.#from, start)
    this.#repaired.write(text, length - text.length, 'latin1')
    this.#length = length
    this.#from = end
  }
}

const isOfScalar = (next: number) => next > space && !structural.has(next)
