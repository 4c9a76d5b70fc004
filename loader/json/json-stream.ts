import { isUtf8 } from 'node:buffer'
import { LoadRefused } from '../load-refused.ts'
import { keepCharacters } from '../published/published-number.ts'
import type { JsonFault } from './json-fault.ts'
import { findJsonFault } from './json-fault.ts'
import { ValueScan } from './value-scan.ts'

/** A value that is longer than the limit: enter it with `fields` or `elements`, or skip it. */
export const tooLong: unique symbol = Symbol('too long')

/** Called for each value that contains invalid UTF-8; its bytes become U+FFFD. */
type OnInvalidText = (value: { readonly path: string }) => void

/** How a value is read. */
export interface ValueOptions {
  /** JSON path of the value, for messages. */
  readonly path: () => string
  /** Maximum length of the value's text in bytes. */
  readonly limit: number
  /** Whether numbers in fields are ids and keep their characters; numbers in arrays always do. */
  readonly keepsFields?: boolean
}

/**
 * Reads a JSON file that may be larger than memory, from start to end. The caller of `fields` or `elements` must read,
 * enter or skip each value before it requests the next one.
 */
export class JsonStream {
  readonly #file: string
  readonly #chunks: AsyncIterator<Buffer>
  readonly #onInvalidText: OnInvalidText
  #window: Buffer = Buffer.alloc(1 << 21)
  #cursor = 0
  #end = 0
  /** Offset of the window in the file. */
  #offset = 0
  #ended = false
  /** JSON path of the current value, for messages. */
  #path: () => string = () => ''

  constructor(chunks: AsyncIterator<Buffer>, file: string, onInvalidText: OnInvalidText = () => undefined) {
    this.#chunks = chunks
    this.#file = file
    this.#onInvalidText = onInvalidText
  }

  /** Enters the next value, an object, and yields each field name before its value. */
  async *fields(path: () => string): AsyncGenerator<string> {
    this.#path = path
    this.#expect((await this.#peek()) === braceOpen, 'an object')
    this.#cursor++
    if ((await this.#peek()) === braceClose) {
      this.#cursor++
      return
    }
    for (;;) {
      this.#expect((await this.#peek()) === quote, 'a field name')
      const name = await this.read({ path, limit: longestName })
      this.#expect((await this.#peek()) === colon, 'a colon')
      this.#cursor++
      yield String(name)
      this.#path = path
      const next = await this.#peek()
      this.#expect(next === comma || next === braceClose, 'a comma or }')
      this.#cursor++
      if (next === braceClose) return
    }
  }

  /** Enters the next value, an array, and yields the index of each element. */
  async *elements(path: () => string): AsyncGenerator<number> {
    this.#path = path
    this.#expect((await this.#peek()) === bracketOpen, 'an array')
    this.#cursor++
    if ((await this.#peek()) === bracketClose) {
      this.#cursor++
      return
    }
    for (let index = 0; ; index++) {
      yield index
      this.#path = path
      const next = this.#peekNow() ?? (await this.#peek())
      this.#expect(next === comma || next === bracketClose, 'a comma or ]')
      this.#cursor++
      if (next === bracketClose) return
    }
  }

  /** Returns the kind of the next value. */
  async kind(): Promise<'object' | 'array' | 'scalar'> {
    const byte = await this.#peek()
    return byte === braceOpen ? 'object' : byte === bracketOpen ? 'array' : 'scalar'
  }

  /** Reads the next value as `keepCharacters` does; returns `tooLong` without consuming it if it exceeds the limit. */
  async read({ path, limit, keepsFields = false }: ValueOptions): Promise<unknown> {
    this.#path = path
    if (this.#peekNow() === undefined) await this.#peek()
    const scan = new ValueScan(0, keepsFields)
    const length = await this.#scan(scan, limit)
    if (length === undefined) return tooLong
    const text = this.#window.toString('utf8', this.#cursor, this.#cursor + length)
    if (text.includes('\ufffd') && !isUtf8(this.#window.subarray(this.#cursor, this.#cursor + length)))
      this.#onInvalidText({ path: path() })
    const value = this.#parse(text, scan.hasLongNumber)
    this.#cursor += length
    return value
  }

  /** Skips the next value; only its brackets and quotes are checked. */
  async skip(path: () => string): Promise<void> {
    this.#path = path
    if ((await this.kind()) === 'scalar') {
      await this.read({ path, limit: longestText })
      return
    }
    const scan = new ValueScan(this.#cursor, false)
    while (!scan.advance(this.#window, this.#end)) {
      this.#cursor = scan.position
      if (!(await this.#fill())) this.#refuse('is cut short', this.#offset + this.#end)
      scan.position = this.#cursor
    }
    this.#cursor = scan.position
  }

  /** Checks that only white space follows. */
  async finish(): Promise<void> {
    this.#path = () => ''
    while (this.#peekNow() === undefined && (await this.#fill()));
    this.#expect(this.#peekNow() === undefined, 'nothing more')
  }

  /** Returns the length of the value at the cursor; undefined if it exceeds the limit. */
  async #scan(scan: ValueScan, limit: number): Promise<number | undefined> {
    const first = this.#window[this.#cursor]
    const isNested = first === braceOpen || first === bracketOpen || first === quote
    for (;;) {
      // Relative to the cursor while the window may move.
      scan.position += this.#cursor
      const found = isNested ? scan.advance(this.#window, this.#end) : this.#advanceScalar(scan)
      scan.position -= this.#cursor
      if (found) return scan.position <= limit ? scan.position : undefined
      if (scan.position > limit || this.#end - this.#cursor > limit) return undefined
      await this.#more()
    }
  }

  /** Scans a number, true, false or null. `JSON.parse` rejects anything else. */
  #advanceScalar(scan: ValueScan): boolean {
    while (scan.position < this.#end && !isDelimiter(this.#window[scan.position] ?? 0)) scan.position++
    // The exact reader decides whether it loses characters; its cost for one number is negligible.
    scan.hasLongNumber = true
    return scan.position < this.#end
  }

  #parse(text: string, exactly: boolean): unknown {
    try {
      return exactly ? JSON.parse(text, keepCharacters) : JSON.parse(text)
    } catch (cause) {
      if (cause instanceof RangeError) this.#refuse('is nested too deeply', this.#offset + this.#cursor, cause)
      const fault = findJsonFault(text)
      if (fault === undefined) throw cause
      this.#refuseFault(text, fault, cause)
    }
  }

  #refuseFault(text: string, fault: JsonFault, cause?: unknown): never {
    const at = this.#offset + this.#cursor + Buffer.byteLength(text.slice(0, fault.position))
    this.#refuse(`is not JSON: ${fault.expected} expected`, at, cause)
  }

  #expect(holds: boolean, expected: string): void {
    if (!holds) this.#refuse(`is not JSON: ${expected} expected`, this.#offset + this.#cursor)
  }

  #refuse(fault: string, at: number, cause?: unknown): never {
    const path = this.#path()
    throw new LoadRefused(this.#file, `${fault} at byte ${at}${path === '' ? '' : ` (${path})`}`, { cause })
  }

  #peekNow(): number | undefined {
    while (this.#cursor < this.#end) {
      const byte = this.#window[this.#cursor] ?? 0
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte
      this.#cursor++
    }
    return undefined
  }

  /** Returns the next byte that is not white space, without consuming it. */
  async #peek(): Promise<number> {
    for (;;) {
      const byte = this.#peekNow()
      if (byte !== undefined) return byte
      await this.#more()
    }
  }

  /** Reads more bytes into the window; refuses the file if it ends here. */
  async #more(): Promise<void> {
    if (await this.#fill()) return
    // A missing quote far above also ends here; the rest of the text tells which of the two it is.
    const rest = this.#window.toString('utf8', this.#cursor, Math.min(this.#end, this.#cursor + longestText))
    const fault = findJsonFault(rest)
    if (fault !== undefined && !fault.cutShort) this.#refuseFault(rest, fault)
    this.#refuse('is cut short', this.#offset + this.#end)
  }

  async #fill(): Promise<boolean> {
    const { value, done = false } = this.#ended ? { done: true } : await this.#chunks.next()
    this.#ended = done
    if (done) return false
    this.#makeRoom(value.length)
    value.copy(this.#window, this.#end)
    this.#end += value.length
    if (this.#offset === 0 && this.#cursor === 0 && this.#end >= 3) this.#skipByteOrderMark()
    return true
  }

  #makeRoom(length: number): void {
    const kept = this.#end - this.#cursor
    if (this.#end + length <= this.#window.length) return
    const target = kept + length <= this.#window.length ? this.#window : Buffer.alloc((kept + length) * 2)
    this.#window.copy(target, 0, this.#cursor, this.#end)
    this.#window = target
    this.#offset += this.#cursor
    this.#cursor = 0
    this.#end = kept
  }

  #skipByteOrderMark(): void {
    if (this.#window[0] === 0xef && this.#window[1] === 0xbb && this.#window[2] === 0xbf) this.#cursor = 3
  }
}

/** Maximum length of a single field: longer than any publisher has reason to write. */
const longestText = 1 << 24
const longestName = 1 << 16

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const bracketOpen = 0x5b
const bracketClose = 0x5d
const braceOpen = 0x7b
const braceClose = 0x7d

const isDelimiter = (byte: number) =>
  byte <= 0x20 || byte === comma || byte === colon || byte === bracketClose || byte === braceClose
