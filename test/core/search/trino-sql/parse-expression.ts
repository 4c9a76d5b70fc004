import { MalformedQuery } from './faults.ts'
import type { Expression, Literal, TypeName } from './syntax.ts'
import type { TokenReader } from './token-reader.ts'

const maxBigint = 2n ** 63n - 1n
const maxCastDepth = 20

/** @throws MalformedQuery */
export function parseExpression(tokens: TokenReader, depth = 0): Expression {
  const at = tokens.place
  if (isCall(tokens, 'cast')) return parseCast(tokens, depth)
  if (isCall(tokens, 'floor')) return parseFloorRandom(tokens)
  return startsLiteral(tokens) ? parseLiteral(tokens) : { kind: 'column', at, name: tokens.takeName() }
}

/** @throws MalformedQuery */
export function parseLiteral(tokens: TokenReader): Literal {
  const at = tokens.place
  if (tokens.accept('null')) return { kind: 'null', at }
  if (tokens.accept('date')) return { kind: 'date', value: tokens.take('string'), at }
  if (tokens.peek().kind === 'integer') return { kind: 'integer', value: parseInteger(tokens), at }
  if (tokens.peek().kind === 'string') return { kind: 'string', value: tokens.take('string'), at }
  return tokens.refuse('a literal')
}

/** @throws MalformedQuery if the number exceeds bigint; Trino also treats that as a syntax error */
export function parseInteger(tokens: TokenReader): bigint {
  const at = tokens.place
  const digits = tokens.take('integer')
  const value = BigInt(digits)
  if (value > maxBigint) throw new MalformedQuery(at, `Invalid numeric literal: ${digits}`)
  return value
}

function parseCast(tokens: TokenReader, depth: number): Expression {
  const at = tokens.place
  if (depth === maxCastDepth) throw new MalformedQuery(at, 'casts are nested too deeply')
  tokens.expect('cast', '(')
  const operand = parseExpression(tokens, depth + 1)
  tokens.expect('as')
  const type = parseType(tokens)
  tokens.expect(')')
  return { kind: 'cast', operand, type, at }
}

function parseFloorRandom(tokens: TokenReader): Expression {
  const at = tokens.place
  tokens.expect('floor', '(', 'random', '(', ')', '*')
  const factor = parseInteger(tokens)
  tokens.expect(')')
  return { kind: 'floor-random', factor, at }
}

/** `varchar ARRAY` and `array(varchar)` are the same type. */
function parseType(tokens: TokenReader): TypeName {
  if (tokens.accept('array')) {
    tokens.expect('(')
    const element = parseType(tokens)
    tokens.expect(')')
    return `array(${element})`
  }
  const type = parseScalarType(tokens)
  return tokens.accept('array') ? `array(${type})` : type
}

function parseScalarType(tokens: TokenReader): TypeName {
  for (const type of ['varchar', 'bigint', 'integer', 'date']) {
    if (tokens.accept(type)) return type
  }
  const { place } = tokens
  if (!tokens.accept('decimal')) return tokens.refuse('varchar, bigint, integer, decimal(p,s), date or an array')
  tokens.expect('(')
  const precision = parseInteger(tokens)
  tokens.expect(',')
  const scale = parseInteger(tokens)
  tokens.expect(')')
  if (precision < 1n || precision > 38n || scale > precision)
    throw new MalformedQuery(
      place,
      `decimal(${precision},${scale}) is not a valid type: at most 38 digits, scale within them`,
    )
  return `decimal(${precision},${scale})`
}

const isCall = (tokens: TokenReader, name: string) => tokens.sees(name) && tokens.peek(1).text === '('

/** `date` starts a literal only if a string follows; otherwise it is a column name. */
function startsLiteral(tokens: TokenReader): boolean {
  const { kind } = tokens.peek()
  return (
    kind === 'integer' ||
    kind === 'string' ||
    tokens.sees('null') ||
    (tokens.sees('date') && tokens.peek(1).kind === 'string')
  )
}
