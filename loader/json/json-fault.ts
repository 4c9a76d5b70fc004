/** Where a text stops being JSON. */
export interface JsonFault {
  /** Index of the first character that is not as expected. */
  readonly position: number
  readonly expected: string
  /** Whether the text merely ends too early. */
  readonly cutShort: boolean
}

type Expectation = 'a value' | 'a value or ]' | 'a field name' | 'a field name or }' | 'a colon' | 'a comma or the end'

const tokens = {
  space: /[ \t\n\r]*/y,
  // Matched in pieces, because one match over megabytes would exhaust the engine's stack.
  inString: /(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})){1,4096}/uy,
  scalar: /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y,
} as const

/** The rest of a truncated text: nothing, or the beginning of an escape, a number or a word. */
const unfinished = /^(?:|\\(?:u[\da-fA-F]{0,3})?|-|-?\d+(?:\.|(?:\.\d+)?[eE][+-]?)|t|tr|tru|f|fa|fal|fals|n|nu|nul)$/

/**
 * Finds the first fault in a text that `JSON.parse` has rejected, because the engine's message often lacks the
 * position.
 *
 * @returns undefined if the text is JSON
 */
export function findJsonFault(text: string): JsonFault | undefined {
  const open: ('[' | '{')[] = []
  let expected: Expectation = 'a value'
  let position = skip(tokens.space, text, 0) ?? 0
  while (open.length > 0 || expected !== 'a comma or the end') {
    const next = readToken(text, position, expected, open)
    if (next === undefined) return describeFault(text, position, expected)
    expected = next.expected
    position = skip(tokens.space, text, next.position) ?? next.position
  }
  return position === text.length ? undefined : describeFault(text, position, 'nothing more')
}

/** Reads one token and tracks open brackets. Returns undefined if the token is not the expected one. */
function readToken(
  text: string,
  position: number,
  expected: Expectation,
  open: ('[' | '{')[],
): { readonly position: number; readonly expected: Expectation } | undefined {
  const character = text[position]
  const next = position + 1
  const closes = { ']': '[', '}': '{' }[character ?? '']
  if (closes !== undefined && closes === open.at(-1) && /end|\]|\}$/.test(expected)) {
    open.pop()
    return { position: next, expected: 'a comma or the end' }
  }
  if (expected === 'a comma or the end') {
    if (character !== ',') return undefined
    return { position: next, expected: open.at(-1) === '{' ? 'a field name' : 'a value' }
  }
  if (expected === 'a colon') return character === ':' ? { position: next, expected: 'a value' } : undefined
  const afterString = skipString(text, position)
  if (expected === 'a field name' || expected === 'a field name or }') {
    return afterString === undefined ? undefined : { position: afterString, expected: 'a colon' }
  }
  if (character === '[' || character === '{') {
    open.push(character)
    return { position: next, expected: character === '[' ? 'a value or ]' : 'a field name or }' }
  }
  const afterScalar = afterString ?? skip(tokens.scalar, text, position)
  return afterScalar === undefined ? undefined : { position: afterScalar, expected: 'a comma or the end' }
}

function skip(token: RegExp, text: string, position: number): number | undefined {
  token.lastIndex = position
  return token.test(text) ? token.lastIndex : undefined
}

function skipString(text: string, position: number): number | undefined {
  const end = endOfContent(text, position)
  return text[position] === '"' && text[end] === '"' ? end + 1 : undefined
}

/** Where the content of the string at a position ends; the position itself if there is no string. */
function endOfContent(text: string, position: number): number {
  if (text[position] !== '"') return position
  let end = position + 1
  for (let next = skip(tokens.inString, text, end); next !== undefined; next = skip(tokens.inString, text, end))
    end = next
  return end
}

function describeFault(text: string, position: number, expected: string): JsonFault {
  return {
    position,
    expected,
    cutShort: expected !== 'nothing more' && unfinished.test(text.slice(endOfContent(text, position))),
  }
}
