import { uint32At } from '../../schema/at.ts'
import { chunk } from '../chunk.ts'
import { firstLetterOf, type JoinedWords, joinWords, nearlyBegins, splitWords } from '../words.ts'

/** A code with a text that names it. */
export interface CodedText {
  readonly code: string
  readonly text: string
}

/** True for each text that matches, by its number. */
export type Matches = Uint8Array

/** Number of texts that are joined at once: the steps of joining hold them several times. */
const textsPerPart = 8192

/**
 * An index of short texts by the beginnings of their codes and words. Many texts are one text without spaces, so a word
 * is looked up by few searches, also where a text has two words for it ("X-ray", "xray"), and the index needs little
 * more memory than the texts: it is built within a call.
 */
export class TextIndex {
  /** The words of codes and texts, in turn. */
  readonly #parts: readonly JoinedWords[]
  readonly #count: number

  constructor(texts: readonly CodedText[]) {
    this.#count = texts.length
    this.#parts = chunk(texts, textsPerPart).map((part) =>
      joinWords(part.flatMap(({ code, text }) => [keyOfCode(code), text])),
    )
  }

  /** Finds the texts whose code, or a word and what follows it, begins with these letters and digits. */
  findBeginnings(letters: string): Matches {
    return this.#find(letters, () => true)
  }

  /** Finds the texts with a word that, with what follows it, begins so but for a typing error. */
  findNear(word: string): Matches {
    // A letter may be missing in the typed word.
    const length = word.length + 1
    const keyAt = (letters: string, position: number) => letters.slice(position, position + length).replace(/\n.*/s, '')
    return this.#find(firstLetterOf(word), (letters, position) => nearlyBegins(word, keyAt(letters, position)))
  }

  #find(start: string, isMatch: (letters: string, position: number) => boolean): Matches {
    const matches = new Uint8Array(this.#count)
    for (const [part, { letters, begins, ends }] of this.#parts.entries()) {
      const first = part * textsPerPart
      let text = 0
      for (let position = letters.indexOf(start); position !== -1; position = letters.indexOf(start, position + 1)) {
        if (begins[position] !== 1 || !isMatch(letters, position)) continue
        while (uint32At(ends, 2 * text + 1) <= position) text += 1
        matches[first + text] = 1
        // The next match of the same text says nothing new.
        position = uint32At(ends, 2 * text + 1) - 1
      }
    }
    return matches
  }
}

const isPlain = /^[a-z0-9]*$/i

/** Returns a code as the index has it: without punctuation, so that `0002-1433-80` and `00021433` begin alike. */
export const keyOfCode = (code: string): string => (isPlain.test(code) ? code.toLowerCase() : splitWords(code).join(''))
