import { cureScalar, maxScalar } from '../../../fetch/cure-scalar.ts'

/** The place where a text stops being JSON. */
export interface JsonFault {
  /** Index of the first character that no continuation can repair; the text's length if it merely ends too early. */
  readonly position: number
  readonly reason: string
}

/**
 * Finds the first fault in a text as the engine reports it, with its position even if the engine's message lacks it.
 *
 * @returns undefined if the text is JSON
 */
export function findJsonFault(text: string): JsonFault | undefined {
  const fault = parse(text)
  if (fault === undefined) return undefined
  if (fault.position !== undefined) return { ...fault, position: fault.position }
  // The shortest beginning that cannot become JSON ends with the first wrong character.
  let [right, wrong] = [0, text.length]
  while (wrong - right > 1) {
    const middle = Math.floor((right + wrong) / 2)
    const beginning = parse(text.slice(0, middle))
    if (beginning === undefined || beginning.position === middle) right = middle
    else wrong = middle
  }
  return { ...fault, position: right }
}

/** Returns undefined if the text is JSON; the position is undefined if the engine does not say it. */
function parse(text: string): { readonly reason: string; readonly position: number | undefined } | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    const message = String(error)
    // The message may quote characters of the text, so the reason has no quotes.
    const [, reason, position] = /^SyntaxError: ([^"]+?)(?: in JSON)? at position (\d+)/.exec(message) ?? []
    if (reason !== undefined)
      return { reason: reason.charAt(0).toLowerCase() + reason.slice(1), position: Number(position) }
    const isEnd = message.startsWith('SyntaxError: Unexpected end of JSON')
    return { reason: 'a value expected', position: isEnd ? text.length : undefined }
  }
}

/** A fault in words. */
interface NamedFault {
  readonly reason: string
  /** Position of its first byte. */
  readonly start: number
  /** Advice for the end of a message; empty if nothing helps. */
  readonly hint: string
}

/** Maximum white space between a comma and the bracket after it that a message explains, in bytes. */
const maxBlank = 1 << 16
const repair = ': --repair fixes it'
const controls: Readonly<Record<string, string>> = {
  '\t': 'a raw tab',
  '\n': 'a raw line break',
  '\r': 'a raw line break',
}

/**
 * Names what exporters of JSON are known to write wrongly.
 *
 * @param bytes the fault and its surroundings
 * @param position position of the first byte that no continuation can repair
 * @param reason expectation of the parser at that byte, which stays if the fault has no name
 */
export function nameFault(bytes: Buffer, position: number, reason: string): NamedFault {
  const before = bytes.toString('latin1', Math.max(0, position - maxBlank), position)
  const after = bytes.toString('latin1', position, position + maxScalar)
  const next = after.charAt(0)
  const comma = /[^[{,:\s]\s*(,\s*)$/.exec(before)?.[1]
  if (comma !== undefined && /[\]}]/.test(next))
    return { reason: 'a comma after the last value', start: position - comma.length, hint: repair }
  if (reason.startsWith('bad escaped') && next >= ' ')
    return { reason: 'a backslash that escapes nothing', start: position - 1, hint: repair }
  if (reason.startsWith('bad control'))
    return { reason: `${controls[next] ?? 'a control character'} in a text`, start: position, hint: repair }
  if (reason.startsWith('nothing more') && (next === '\0' || next === '\x1a'))
    return { reason: 'NUL or Ctrl-Z after the end', start: position, hint: repair }
  const { length, ...fault } = nameScalar(before, after, reason)
  return { ...fault, start: position - length }
}

/** Names a fault of a number or a word, or of what stands in the place of one, and says how much of it is before. */
function nameScalar(before: string, after: string, reason: string) {
  const [begun = ''] = /[^\s,:[\]{}"]*$/.exec(before.slice(-maxScalar)) ?? []
  const [scalar = ''] = /^[^\s,:[\]{}"]*/.exec(begun + after) ?? []
  const { length } = begun
  const cure = cureScalar(scalar, false)
  if (cure !== undefined && /^(?:a value|unexpected number|no number|unterminated)/.test(reason)) {
    const isText = cure.json.startsWith('"')
    const remedy = isText ? 'with leading zeros' : `in place of ${cure.json}`
    const kind = cure.rule === 'odd-word' ? 'word' : 'number'
    return { reason: `the ${kind} ${scalar} ${remedy}`, length, hint: repair }
  }
  const name = otherFaults.find(([pattern]) => pattern.test(scalar))?.[1]
  if (name !== undefined) return { reason: name, length, hint: '' }
  if (reason.includes('name') && /\d,$/.test(before) && /^\d/.test(after))
    return { reason: 'a number with a comma', length, hint: '' }
  const isName = reason.includes('name') && /^\w+$/.test(scalar)
  return isName ? { reason: 'a field name without quotes', length, hint: '' } : { reason, length: 0, hint: '' }
}

/** Faults that have several cures, or none. */
const otherFaults: readonly (readonly [start: RegExp, name: string])[] = [
  [/^'/, 'a text in single quotes'],
  [/^(?:\/[/*]|#)/, 'a comment'],
  [/^[+-]?0[xX]/, 'a hexadecimal number'],
]
