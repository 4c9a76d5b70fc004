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

/** True if `--repair` fixes the fault at the last character of a text. */
export const isRepairable = (text: string): boolean => /[^[{,:\s]\s*,\s*[\]}]$|\\[^"\\/bfnrtu\p{Cc}]$/u.test(text)
