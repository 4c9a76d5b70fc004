import { isUtf8 } from 'node:buffer'
import { setImmediate } from 'node:timers/promises'
import { FileFault } from '../../../fetch/load-refused.ts'
import { byte, passSpace } from './byte-scan.ts'
import { ByteWindow, type ElementScan } from './byte-window.ts'
import { findJsonFault, type JsonFault, nameFault } from './json-fault.ts'
import { describeOtherText } from './other-text.ts'
import { parsePublished } from './published-number.ts'
import type { ValueOptions } from './value-options.ts'
import { ValueScan } from './value-scan.ts'

/** Stands for a value that is too long or has too many parts: enter it with `fields` or `elements`, or skip it. */
export const tooLong: unique symbol = Symbol('too long')

/** Objects up to this many bytes are read at once; the long array in a larger one is read element by element. */
export const wholeObject = 1 << 22

/** Called for each value with bytes that are not UTF-8, which become U+FFFD. */
type OnInvalidText = (value: { readonly path: string }) => void

/**
 * Reads a JSON file that may be larger than memory, from start to end. The caller of `fields` or `elements` must read,
 * enter or skip each value before it requests the next one.
 */
export class JsonStream {
  readonly #onInvalidText: OnInvalidText
  readonly #window: ByteWindow
  /** True once the file has turned out to begin with an object. */
  #isBegun = false
  /** JSON path of the current value, for messages. */
  #path: () => string = () => ''

  constructor(chunks: AsyncIterator<Buffer>, onInvalidText: OnInvalidText = () => undefined) {
    this.#window = new ByteWindow(chunks)
    this.#onInvalidText = onInvalidText
  }

  /** Enters the next value, an object, and yields each field name before its value. */
  async *fields(path: () => string): AsyncGenerator<string> {
    let goesOn = await this.#enter(path, byte.braceOpen, 'an object')
    while (goesOn) {
      this.#expect((await this.#peek()) === byte.quote, 'a field name')
      const name = await this.read({ path, limit: maxNameBytes })
      this.#expect((await this.#peek()) === byte.colon, 'a colon')
      this.#window.cursor++
      yield String(name)
      this.#path = path
      goesOn = this.#goOn(await this.#peek(), byte.braceClose, 'a comma or }')
    }
  }

  /**
   * Enters the next value, an array, and yields the index of each element.
   *
   * @param scan reads elements from their bytes; only those that it finds odd or too long are yielded
   */
  async *elements(path: () => string, scan?: ElementScan): AsyncGenerator<number> {
    let goesOn = await this.#enter(path, byte.bracketOpen, 'an array')
    for (let index = 0; goesOn; index++) {
      // Many fit in one chunk: without a pause, neither signals nor timers would have a turn while they are read.
      if (index % elementsPerTurn === elementsPerTurn - 1) await setImmediate()
      const room = scan?.makeRoom()
      if (room !== undefined) await room
      // Far enough ahead that no scan of an element runs out of bytes halfway.
      if (scan && this.#window.lacks(wholeObject)) await this.#window.prefetch(2 * wholeObject)
      if (!(scan && this.#scanElement(scan, index))) yield index
      this.#path = path
      goesOn = this.#goOn(this.#peekNow() ?? (await this.#peek()), byte.bracketClose, 'a comma or ]')
    }
  }

  /** Returns true if the scan read the element. */
  #scanElement({ read }: ElementScan, index: number): boolean {
    if (this.#peekNow() === undefined) return false
    const { bytes, cursor, end } = this.#window
    const after = read(bytes, cursor, Math.min(end, cursor + wholeObject), index)
    if (after >= 0) this.#window.cursor = after
    return after >= 0
  }

  /** Enters an object or array. Returns true unless it is empty. */
  async #enter(path: () => string, opening: number, expected: string): Promise<boolean> {
    this.#path = path
    const next = await this.#peek()
    if (next !== opening && !this.#isBegun) await this.#refuseOtherText()
    this.#expect(next === opening, expected)
    this.#isBegun = true
    this.#window.cursor++
    // In ASCII, a closing bracket or brace comes two after its opening one.
    const isEmpty = (await this.#peek()) === opening + 2
    if (isEmpty) this.#window.cursor++
    return !isEmpty
  }

  /** Refuses a file of another kind by its first lines. */
  async #refuseOtherText(): Promise<void> {
    await this.#window.prefetch(maxNameBytes)
    const { bytes, cursor, end } = this.#window
    const fault = describeOtherText(bytes.toString('utf8', cursor, Math.min(end, cursor + maxNameBytes)))
    if (fault !== undefined) throw new FileFault(fault)
  }

  #goOn(next: number, closing: number, expected: string): boolean {
    this.#expect(next === byte.comma || next === closing, expected)
    this.#window.cursor++
    return next === byte.comma
  }

  /** Returns the kind of the next value. */
  async kind(): Promise<'object' | 'array' | 'scalar'> {
    const next = await this.#peek()
    if (next === byte.braceOpen) return 'object'
    return next === byte.bracketOpen ? 'array' : 'scalar'
  }

  /** Reads the next value as `parsePublished` does; returns `tooLong` without consuming it if it exceeds the limit. */
  async read({ path, limit, keepsFields }: ValueOptions): Promise<unknown> {
    this.#path = path
    if (this.#peekNow() === undefined) await this.#peek()
    const scan = new ValueScan(0, keepsFields ? 'ids' : 'values')
    const length = await this.#scan(scan, limit)
    if (length === undefined || (length > maxDenseBytes && scan.containers > maxContainers)) return tooLong
    const bytes = this.#window.bytes.subarray(this.#window.cursor, this.#window.cursor + length)
    const text = bytes.toString()
    if (text.includes('\ufffd') && !isUtf8(bytes)) this.#onInvalidText({ path: path() })
    const value = this.#parse(text, scan.hasLongNumber)
    this.#window.cursor += length
    return value
  }

  /** Skips the next value; only its brackets and quotes are checked. */
  async skip(path: () => string): Promise<void> {
    this.#path = path
    if ((await this.kind()) === 'scalar' && (await this.read({ path, limit: maxTextBytes })) !== tooLong) return
    const scan = new ValueScan(this.#window.cursor, 'none')
    while (!scan.advance(this.#window.bytes, this.#window.end)) {
      // The bytes so far need not stay in the window.
      this.#window.cursor = scan.position
      if (!(await this.#window.fill())) this.#refuse('is cut short', this.#window.offset + this.#window.end)
      scan.position = this.#window.cursor
    }
    this.#window.cursor = scan.position
  }

  /** Bytes of the file that have been read so far. */
  get position(): number {
    return this.#window.offset + this.#window.cursor
  }

  /** Bytes of memory for the part of the file that is being read. */
  get heldBytes(): number {
    return this.#window.bytes.length
  }

  /** Checks that only white space follows. */
  async finish(): Promise<void> {
    this.#path = () => ''
    while (this.#peekNow() === undefined && (await this.#window.fill()));
    this.#expect(this.#peekNow() === undefined, 'nothing more')
  }

  /** Returns the length of the value at the cursor; undefined if it exceeds the limit. */
  async #scan(scan: ValueScan, limit: number): Promise<number | undefined> {
    for (;;) {
      // Relative to the cursor while the window may move.
      scan.position += this.#window.cursor
      const isComplete = scan.advance(this.#window.bytes, this.#window.end)
      scan.position -= this.#window.cursor
      if (isComplete) return scan.position <= limit ? scan.position : undefined
      if (scan.position > limit || this.#window.end - this.#window.cursor > limit) return undefined
      await this.#more()
    }
  }

  #parse(text: string, exactly: boolean): unknown {
    try {
      return parsePublished(text, exactly)
    } catch (cause) {
      if (cause instanceof RangeError)
        this.#refuse('is nested too deeply', this.#window.offset + this.#window.cursor, cause)
      const fault = findJsonFault(text)
      if (fault === undefined) throw cause
      this.#refuseFault(text, fault, cause)
    }
  }

  #refuseFault(text: string, fault: JsonFault, cause?: unknown): never {
    const at = this.#window.offset + this.#window.cursor + Buffer.byteLength(text.slice(0, fault.position))
    this.#refuseJson(fault.reason, at, cause)
  }

  #expect(holds: boolean, expected: string): void {
    if (!holds) this.#refuseJson(`${expected} expected`, this.#window.offset + this.#window.cursor)
  }

  #refuseJson(reason: string, at: number, cause?: unknown): never {
    const { bytes, offset, end } = this.#window
    const fault = nameFault(bytes.subarray(0, end), at - offset, reason)
    this.#refuse(`is not JSON: ${fault.reason}`, offset + fault.start, cause, fault.hint)
  }

  #refuse(fault: string, at: number, cause?: unknown, hint = ''): never {
    const path = this.#path()
    throw new FileFault(`${fault} at byte ${at}${path === '' ? '' : ` (${path})`}${hint}`, { cause })
  }

  #peekNow(): number | undefined {
    const { bytes, cursor, end } = this.#window
    const at = passSpace(bytes, cursor, end)
    this.#window.cursor = at
    return at < end ? bytes[at] : undefined
  }

  /** Returns the next byte that is not white space, without consuming it. */
  async #peek(): Promise<number> {
    for (;;) {
      const next = this.#peekNow()
      if (next !== undefined) return next
      await this.#more()
    }
  }

  /** Reads more bytes into the window; refuses the file if it ends here. */
  async #more(): Promise<void> {
    if (await this.#window.fill()) return
    if (!this.#isBegun && this.#window.cursor === this.#window.end) throw new FileFault('is empty')
    // After a missing quote, the last string also runs to the end of the file. Parsing what remains finds that fault.
    const remainder = this.#window.bytes.toString(
      'utf8',
      this.#window.cursor,
      Math.min(this.#window.end, this.#window.cursor + maxTextBytes),
    )
    const fault = findJsonFault(remainder)
    if (fault !== undefined && fault.position < remainder.length) this.#refuseFault(remainder, fault)
    this.#refuse('is cut short', this.#window.offset + this.#window.end)
  }
}

/** Number of elements that are read before signals and timers have a turn. */
const elementsPerTurn = 1 << 16

/** Maximum number of objects and arrays in a value longer than this, in bytes. Each takes some 60 bytes of memory. */
const maxDenseBytes = 1 << 23
const maxContainers = 2_000_000

/** Maximum length in bytes of a single value and of a name: longer than any publisher has reason to write. */
const maxTextBytes = 1 << 24
const maxNameBytes = 1 << 16
