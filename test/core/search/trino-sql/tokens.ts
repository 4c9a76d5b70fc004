import { MalformedQuery } from './faults.ts'
import type { Place } from './syntax.ts'

export interface Token {
  readonly kind: 'word' | 'quoted' | 'string' | 'integer' | 'symbol' | 'end'
  /** Words are in lower case; strings and quoted names are without their quotes. */
  readonly text: string
  readonly at: Place
}

const tokenKinds = [
  /(?<space>\s+)/,
  /(?<word>[A-Za-z_][A-Za-z0-9_]*)/,
  /(?<integer>[0-9]+)/,
  /'(?<string>[^']*(?:''[^']*)*)'/,
  /"(?<quoted>[^"]+(?:""[^"]*)*)"/,
  /(?<symbol>[(),=*.[\]])/,
]

/**
 * Splits a statement into tokens; the last one is `end`. In strings, backslashes, line breaks and any Unicode are
 * ordinary characters; the only escape is a doubled quote.
 *
 * @throws MalformedQuery at the first character that starts no token
 */
export function readTokens(statement: string): readonly Token[] {
  const tokens: Token[] = []
  const places = new Places(statement)
  // Sticky: each match starts exactly where the last token ended.
  const tokenPattern = new RegExp(tokenKinds.map(({ source }) => source).join('|'), 'y')
  while (tokenPattern.lastIndex < statement.length) {
    const start = tokenPattern.lastIndex
    const found = tokenPattern.exec(statement)?.groups
    if (found === undefined) {
      const character = String.fromCodePoint(statement.codePointAt(start) ?? 0)
      throw new MalformedQuery(places.at(start), `mismatched input '${character}'`)
    }
    const token = toToken(found, places.at(start))
    if (token !== undefined) tokens.push(token)
  }
  return [...tokens, { kind: 'end', text: '<EOF>', at: places.at(statement.length) }]
}

function toToken(found: Readonly<Record<string, string | undefined>>, at: Place): Token | undefined {
  const { word, integer, string, quoted, symbol } = found
  if (word !== undefined) return { kind: 'word', text: word.toLowerCase(), at }
  if (integer !== undefined) return { kind: 'integer', text: integer, at }
  if (string !== undefined) return { kind: 'string', text: string.replaceAll("''", "'"), at }
  if (quoted !== undefined) return { kind: 'quoted', text: quoted.replaceAll('""', '"').toLowerCase(), at }
  return symbol === undefined ? undefined : { kind: 'symbol', text: symbol, at }
}

/** Finds the line and column of increasing offsets in one pass. */
class Places {
  readonly #text: string
  #line = 1
  #lineStart = 0
  #nextBreak: number

  constructor(text: string) {
    this.#text = text
    this.#nextBreak = text.indexOf('\n')
  }

  at(offset: number): Place {
    while (this.#nextBreak !== -1 && this.#nextBreak < offset) {
      this.#line += 1
      this.#lineStart = this.#nextBreak + 1
      this.#nextBreak = this.#text.indexOf('\n', this.#lineStart)
    }
    return `line ${this.#line}:${offset - this.#lineStart + 1}`
  }
}
