import { maxExamples } from '../../../fetch/occurrences.ts'
import { float64At, uint8At } from '../../../schema/at.ts'
import type { Findings } from '../../decode/findings.ts'
import { normaliseNumber } from '../../decode/json/published-number.ts'
import type { NewSeed } from '../../decode/keyed-hash.ts'
import { ReferenceIds } from './reference-ids.ts'

/** What is known of an id. */
export const fact = {
  defined: 1,
  /** The file with its groups is missing. */
  missing: 2,
  /** It is defined with providers, whether or not a filter keeps any. */
  provided: 4,
  /** It has several different definitions. */
  several: 8,
  /** Prices name it. */
  used: 16,
} as const

/** What a file says of its provider references, by the numbers of their ids. */
export class References {
  readonly ids: ReferenceIds
  /** Whether any reference is defined. A file has one list of them, so all are defined before its items or after them. */
  isAnyDefined = false
  // An id of which nothing is noted yet may be beyond these arrays: it has the value 0, as within them.
  #facts = new Uint8Array(initialLength)
  #rows = new Float64Array(initialLength)
  // By id. A map would have collisions that the file chooses: the engine hashes numbers without a seed.
  /** Where it is defined last, plus 1; 0 unless it is defined again. */
  #lastPlaces = new Uint32Array(initialLength)
  /** What `match` returned, plus 1; 0 if it was not asked yet. */
  #matches = new Uint32Array(initialLength)
  #byValue: ReadonlyMap<string, number | undefined> | undefined

  constructor(newSeed: NewSeed) {
    this.ids = new ReferenceIds(newSeed)
  }

  /** @param place index of the reference in its file */
  define(number: number, place: number): void {
    this.isAnyDefined = true
    const isRepeated = this.is(number, fact.defined)
    this.note(number, fact.defined)
    if (isRepeated) this.#lastPlaces[number] = place + 1
  }

  /**
   * Notes a definition with providers.
   *
   * @param keptRows how many rows of `provider_groups` a filter keeps
   */
  provide(number: number, keptRows: number): void {
    this.note(number, this.is(number, fact.provided) ? fact.several : fact.provided)
    this.#rows[number] = float64At(this.#rows, number) + keptRows
  }

  /** Notes how many rows all definitions have together. */
  provideMerged(number: number, keptRows: number): void {
    this.#rows[number] = keptRows
  }

  note(number: number, noted: number): void {
    if (number >= this.#facts.length) this.#enlarge(2 * number)
    this.#facts[number] = uint8At(this.#facts, number) | noted
  }

  /** Whether any of these facts is known. */
  is(number: number, facts: number): boolean {
    return ((this.#facts[number] ?? 0) & facts) !== 0
  }

  /** Whether the filter keeps none of the providers that are known. */
  isLeftOut(number: number): boolean {
    return this.is(number, fact.provided) && this.rowsOf(number) === 0
  }

  /** How many rows of `provider_groups` a reference has. */
  rowsOf(number: number): number {
    return this.#rows[number] ?? 0
  }

  /**
   * Finds the reference that a price names, when all are defined: the one of the id itself, or the only one with the same
   * numeric value. An id that is defined without providers is defined all the same.
   *
   * @returns the number of its id, or that of the id itself if there is none
   */
  match(number: number): number {
    if (this.is(number, fact.defined | fact.missing)) return number
    const known = this.#matches[number] ?? 0
    if (known > 0) return known - 1
    const value = normaliseNumber(this.ids.texts.at(number))
    this.#byValue ??= this.#indexValues()
    const match = (value === undefined ? undefined : this.#byValue.get(value)) ?? number
    if (number >= this.#matches.length) this.#enlarge(2 * number)
    this.#matches[number] = match + 1
    return match
  }

  /** Counts the ids that are defined at several places. */
  countRepeated(findings: Findings): void {
    const places = this.#lastPlaces.filter((place) => place > 0).sort()
    const examples = Array.from(places.subarray(0, maxExamples), (place) => `provider_references[${place - 1}]`)
    findings.add({ rule: 'repeated-definition', count: places.length, examples })
  }

  /** The ids by their numeric value; undefined for one that several have. */
  #indexValues(): ReadonlyMap<string, number | undefined> {
    const index = new Map<string, number | undefined>()
    for (let number = 0; number < this.ids.count; number++) {
      if (!this.is(number, fact.defined | fact.missing)) continue
      const value = normaliseNumber(this.ids.texts.at(number))
      if (value !== undefined) index.set(value, index.has(value) ? undefined : number)
    }
    return index
  }

  #enlarge(length: number): void {
    const [facts, rows, lastPlaces, matches] = [this.#facts, this.#rows, this.#lastPlaces, this.#matches]
    this.#facts = new Uint8Array(length)
    this.#rows = new Float64Array(length)
    this.#lastPlaces = new Uint32Array(length)
    this.#matches = new Uint32Array(length)
    this.#facts.set(facts)
    this.#rows.set(rows)
    this.#lastPlaces.set(lastPlaces)
    this.#matches.set(matches)
  }
}

const initialLength = 256
