import { at, uint32At } from '../../schema/at.ts'
import { canBeMistyped, nearlyBegins, splitPublishedWords, splitWords } from '../catalogue/finding/words.ts'

/** A code with a text that names it. */
export interface CodedText {
  readonly code: string
  readonly text: string
}

/** True for each text that matches, by its number. */
export type Matches = Uint8Array

/**
 * An index of short texts by the beginnings of their codes and words. All texts are one text without spaces, so a word
 * is looked up by one search in it, also where a text has two words for it ("X-ray", "xray"), and the index needs
 * little more memory than the texts: it is built within a call.
 */
export class TextIndex {
  readonly #words: string
  /** 1 where a word of `#words` begins. */
  readonly #begins: Uint8Array
  /** The places in `#words` where texts end. */
  readonly #ends: Uint32Array

  constructor(texts: readonly CodedText[]) {
    const words: string[] = []
    this.#ends = new Uint32Array(texts.length)
    let place = 0
    for (const [index, { code, text }] of texts.entries()) {
      for (const word of [`${keyOfCode(code)}|`, ...splitPublishedWords(text), '\n']) {
        words.push(word)
        place += word.length
      }
      this.#ends[index] = place
    }
    this.#words = words.join('')
    this.#begins = new Uint8Array(place)
    let begin = 0
    for (const word of words) {
      this.#begins[begin] = 1
      begin += word.length
    }
  }

  /** Finds the texts whose code, or a word and what follows it, begins with these letters and digits. */
  findBeginnings(letters: string): Matches {
    return this.#find(letters, () => true)
  }

  /** Finds the texts with a word that begins so if one letter was mistyped. */
  findNear(word: string): Matches {
    if (!canBeMistyped(word)) return new Uint8Array(this.#ends.length)
    return this.#find(at([...word], 0), (place) => nearlyBegins(word, this.#wordAt(place)))
  }

  #wordAt(place: number): string {
    const end = this.#begins.indexOf(1, place + 1)
    return this.#words.slice(place, end === -1 ? undefined : end)
  }

  #find(letters: string, isMatch: (place: number) => boolean): Matches {
    const matches = new Uint8Array(this.#ends.length)
    let index = 0
    for (let place = this.#words.indexOf(letters); place !== -1; place = this.#words.indexOf(letters, place + 1)) {
      if (this.#begins[place] !== 1 || !isMatch(place)) continue
      while (uint32At(this.#ends, index) <= place) index += 1
      matches[index] = 1
      // The next match of the same text says nothing new.
      place = uint32At(this.#ends, index) - 1
    }
    return matches
  }
}

/** Returns a code as the index has it: without punctuation, so that `0002-1433-80` and `00021433` begin alike. */
export const keyOfCode = (code: string): string => splitWords(code).join('')
