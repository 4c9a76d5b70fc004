import { MalformedQuery } from './faults.ts'
import type { Place } from './syntax.ts'
import type { Token } from './tokens.ts'

/**
 * Words that must be quoted to be names. Source: Trino documentation, "Keywords and identifiers" (the relevant ones
 * only).
 */
const reservedWords = new Set([
  ...['and', 'as', 'by', 'case', 'cast', 'create', 'delete', 'distinct', 'drop', 'else', 'end', 'from', 'group'],
  ...['having', 'in', 'insert', 'is', 'join', 'like', 'not', 'null', 'on', 'or', 'order', 'select', 'then', 'union'],
  ...['using', 'values', 'when', 'where', 'with'],
])

/** Reads tokens in sequence; the parser is built on it. */
export class TokenReader {
  readonly #tokens: readonly Token[]
  #position = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  /** Returns the next token, or the one `ahead` of it. Past the last token, returns the end token. */
  peek(ahead = 0): Token {
    const token = this.#tokens[this.#position + ahead] ?? this.#tokens.at(-1)
    if (token === undefined) throw new TypeError('the token list has no end token')
    return token
  }

  get place(): Place {
    return this.peek().at
  }

  /** True if the next token is this word or symbol. */
  sees(text: string): boolean {
    const { kind, text: next } = this.peek()
    return (kind === 'word' || kind === 'symbol') && next === text
  }

  /** Consumes the word or symbol if it is next, and returns whether it was. */
  accept(text: string): boolean {
    const seen = this.sees(text)
    if (seen) this.#position += 1
    return seen
  }

  /** @throws MalformedQuery if something else is next */
  expect(...texts: readonly string[]): void {
    for (const text of texts) {
      if (!this.accept(text)) this.refuse(`'${text.toUpperCase()}'`)
    }
  }

  /** Reads a token of this kind. @throws MalformedQuery if something else is next */
  take(kind: 'string' | 'integer' | 'end'): string {
    const token = this.peek()
    if (token.kind !== kind) this.refuse({ string: 'a string', integer: 'an integer', end: 'the end' }[kind])
    this.#position += 1
    return token.text
  }

  /** Reads a name, bare or quoted. @throws MalformedQuery if something else is next */
  takeName(): string {
    const { kind, text } = this.peek()
    if (kind !== 'quoted' && (kind !== 'word' || reservedWords.has(text))) this.refuse('a name')
    this.#position += 1
    return text
  }

  /** Reads a comma-separated list. */
  takeList<Item>(takeItem: () => Item): [Item, ...Item[]] {
    const items: [Item, ...Item[]] = [takeItem()]
    while (this.accept(',')) items.push(takeItem())
    return items
  }

  /** Reads a comma-separated list in parentheses. */
  takeEnclosedList<Item>(takeItem: () => Item): readonly Item[] {
    this.expect('(')
    const items = this.takeList(takeItem)
    this.expect(')')
    return items
  }

  refuse(expected: string): never {
    const { text, at } = this.peek()
    throw new MalformedQuery(at, `mismatched input '${text}'. Expecting: ${expected}`)
  }
}
