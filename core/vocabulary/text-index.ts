import { uint32At } from '../../schema/at.ts'
import { firstLetterOf, nearlyBegins, splitPublishedWords, splitWords } from '../words.ts'

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
    const joinedTexts: string[] = []
    const begins: number[] = []
    this.#ends = new Uint32Array(texts.length)
    let place = 0
    for (const [index, { code, text }] of texts.entries()) {
      const words = [`${keyOfCode(code)}|`, ...splitPublishedWords(text)]
      for (const word of words) {
        begins.push(place)
        place += word.length
      }
      place += 1
      joinedTexts.push(words.join(''), '\n')
      this.#ends[index] = place
    }
    this.#words = joinedTexts.join('')
    this.#begins = new Uint8Array(place)
    for (const begin of begins) this.#begins[begin] = 1
  }

  /** Finds the texts whose code, or a word and what follows it, begins with these letters and digits. */
  findBeginnings(letters: string): Matches {
    return this.#find(letters, () => true)
  }

  /** Finds the texts with a word that, with what follows it, begins so but for a typing error. */
  findNear(word: string): Matches {
    // A letter may be missing in the typed word.
    const length = word.length + 1
    const keyAt = (place: number) => this.#words.slice(place, place + length).replace(/[|\n].*/s, '')
    return this.#find(firstLetterOf(word), (place) => nearlyBegins(word, keyAt(place)))
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
