import type { Output } from './world.ts'

/**
 * Escapes characters that a terminal would obey or hide in a line: controls, line separators, and the format characters
 * that reverse the direction of text. Names and messages come from a service, and before that from payers' files.
 *
 * @returns the text with `\uXXXX` in their place, which JSON reads back
 */
export const printable = (text: string) =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) =>
    character.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )

/** A stream as far as it is written to. */
interface Stream {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/**
 * Opens a stream for everything that the command line writes. Line ends pass unchanged; all other characters that move
 * a cursor are escaped.
 */
export const openOutput = (stream: Stream): Output => ({
  isTTY: stream.isTTY ?? false,
  get columns() {
    return stream.columns ?? 0
  },
  write: (text) => stream.write(text.split('\n').map(printable).join('\n')),
  // Return to the start of the line and erase it. Source: ECMA-48, "EL".
  clearLine: () => stream.write('\r\u001b[K'),
})
