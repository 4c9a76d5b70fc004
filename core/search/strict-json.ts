import { OddValue } from '../../contract/texts/show-value.ts'
import { at } from '../../schema/at.ts'

/** The text is not JSON or is nested too deeply. The message gives the position and never repeats the text. */
export class NotJson extends Error {
  override readonly name = 'NotJson'
}

/** Maximum nesting depth: far more than any request needs, and far less than the stack allows. */
const maxDepth = 32

/** Source: RFC 8259, sections 3 and 6. */
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/**
 * Parses JSON without silently changing values, see `OddValue`. `JSON.parse` would round `1000100002.00000001` to an
 * NPI, read `1e-400` as 0, and keep only the last of two fields with the same name. Packages that report positions
 * (jsonc-parser) do the same.
 *
 * @throws NotJson with line and column, both counted from 1
 */
export function parseStrictJson(text: string): unknown {
  const reader = new JsonReader(text)
  const value = reader.readValue(0)
  reader.requireEnd()
  return value
}

class JsonReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  readValue(depth: number): unknown {
    const first = this.#peek()
    if (first === '"') return this.#readString()
    if (first !== '{' && first !== '[') return this.#readScalar()
    if (depth === maxDepth) throw new NotJson(`the body is nested more than ${maxDepth} levels deep`)
    this.#at += 1
    return first === '{' ? this.#readObject(depth + 1) : this.#readArray(depth + 1)
  }

  requireEnd(): void {
    if (this.#peek() !== undefined) throw this.#expected('nothing more')
  }

  #readArray(depth: number): unknown[] {
    const items: unknown[] = []
    if (this.#take(']')) return items
    do items.push(this.readValue(depth))
    while (this.#take(','))
    if (!this.#take(']')) throw this.#expected('a comma or ]')
    return items
  }

  #readObject(depth: number): object {
    const fields = new Map<string, unknown>()
    if (this.#take('}')) return {}
    do {
      if (this.#peek() !== '"') throw this.#expected('a name in double quotes')
      const name = this.#readString()
      if (!this.#take(':')) throw this.#expected('a colon')
      const value = this.readValue(depth)
      fields.set(name, fields.has(name) ? new OddValue('several values under one name') : value)
    } while (this.#take(','))
    if (!this.#take('}')) throw this.#expected('a comma or }')
    return Object.fromEntries(fields)
  }

  #readString(): string {
    let end = this.#text.indexOf('"', this.#at + 1)
    while (end !== -1 && isEscaped(this.#text, end)) end = this.#text.indexOf('"', end + 1)
    try {
      // Without a closing quote, the slice to the end is not a string and is refused.
      const value: unknown = JSON.parse(this.#text.slice(this.#at, end === -1 ? undefined : end + 1))
      this.#at = end + 1
      return String(value)
    } catch {
      throw this.#expected('a string (closed, with control characters escaped)')
    }
  }

  #readScalar(): unknown {
    scalar.lastIndex = this.#at
    const [written] = scalar.exec(this.#text) ?? []
    if (written === undefined) throw this.#expected('a value')
    this.#at += written.length
    const value: unknown = JSON.parse(written)
    return String(value) === written ? value : new OddValue(written)
  }

  /** Skips white space; returns the next character, or undefined at the end. */
  #peek(): string | undefined {
    let next = this.#text[this.#at]
    while (next === ' ' || next === '\n' || next === '\r' || next === '\t') {
      this.#at += 1
      next = this.#text[this.#at]
    }
    return next
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false
    this.#at += 1
    return true
  }

  #expected(what: string): NotJson {
    const lines = this.#text.slice(0, this.#at).split('\n')
    const position = `line ${lines.length}, column ${at(lines, lines.length - 1).length + 1}`
    const end = this.#at >= this.#text.length ? ', where the body ends' : ''
    return new NotJson(`the body is not valid JSON: expected ${what} at ${position}${end}`)
  }
}

/** True if a quote follows an odd number of backslashes. */
function isEscaped(text: string, quote: number): boolean {
  let first = quote
  while (text[first - 1] === '\\') first -= 1
  return (quote - first) % 2 === 1
}
