import { MalformedQuery } from './faults.ts'
import { parseLiteral } from './parse-expression.ts'
import type { Condition } from './syntax.ts'
import type { TokenReader } from './token-reader.ts'

/** Deeper than any statement the service writes, and well within the stack limit. */
const maxDepth = 100

/**
 * Parses a WHERE condition. A chain of ANDs or ORs becomes one list, so thousands of terms nest at most two levels
 * deep.
 *
 * @throws MalformedQuery
 */
export function parseCondition(tokens: TokenReader, depth = 0): Condition {
  return parseChain(tokens, 'or', () => parseChain(tokens, 'and', () => parseTerm(tokens, depth)))
}

function parseChain(tokens: TokenReader, kind: 'and' | 'or', parseLink: () => Condition): Condition {
  const first = parseLink()
  if (!tokens.sees(kind)) return first
  const terms = [first]
  while (tokens.accept(kind)) terms.push(parseLink())
  return { kind, terms }
}

function parseTerm(tokens: TokenReader, depth: number): Condition {
  const { place } = tokens
  if (tokens.accept('(')) {
    if (depth === maxDepth) throw new MalformedQuery(place, 'the condition is nested too deeply')
    const condition = parseCondition(tokens, depth + 1)
    tokens.expect(')')
    return condition
  }
  const column = { kind: 'column', at: place, name: tokens.takeName() } as const
  const at = tokens.place
  if (tokens.accept('=')) return { kind: 'equals', column, literal: parseLiteral(tokens), at }
  if (tokens.accept('in'))
    return { kind: 'in', column, literals: tokens.takeEnclosedList(() => parseLiteral(tokens)), at }
  return tokens.refuse("'=', 'IN'")
}
