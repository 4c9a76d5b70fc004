import { type Findings, maxExamples } from '../../decode/findings.ts'
import { normaliseNumber } from '../../decode/json/published-number.ts'
import { TextPool } from '../text-pool.ts'
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
  readonly ids = new ReferenceIds()
  /** Whether any reference is defined. A file has one list of them, so all are defined before its items or after them. */
  isAnyDefined = false
  #facts = new Uint8Array(initialLength)
  #rows = new Float64Array(initialLength)
  #firstPlaces = new Uint32Array(initialLength)
  #lastPlaces = new Uint32Array(initialLength)
  #byValue: ValueIndex | undefined
  readonly #matches = new Map<number, number>()

  /** @param place index of the reference in its file */
  define(number: number, place: number): void {
    this.isAnyDefined = true
    const isNew = !this.is(number, fact.defined)
    this.note(number, fact.defined)
    if (isNew) this.#firstPlaces[number] = place
    this.#lastPlaces[number] = place
  }

  /**
   * Notes a definition with providers.
   *
   * @param keptRows how many rows of `provider_groups` a filter keeps
   */
  provide(number: number, keptRows: number): void {
    this.note(number, this.is(number, fact.provided) ? fact.several : fact.provided)
    this.#rows[number] = (this.#rows[number] ?? 0) + keptRows
  }

  /** Notes how many rows all definitions have together. */
  provideMerged(number: number, keptRows: number): void {
    this.#rows[number] = keptRows
  }

  note(number: number, noted: number): void {
    if (number >= this.#facts.length) this.#enlarge(2 * number)
    this.#facts[number] = (this.#facts[number] ?? 0) | noted
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
    const known = this.#matches.get(number)
    if (known !== undefined) return known
    const value = normaliseNumber(this.ids.texts.at(number))
    this.#byValue ??= this.#indexValues()
    const match = (value === undefined ? undefined : this.#byValue.find(value)) ?? number
    this.#matches.set(number, match)
    return match
  }

  /** Counts the ids that are defined at several places. */
  countRepeated(findings: Findings): void {
    const [first, last] = [this.#firstPlaces, this.#lastPlaces]
    let count = 0
    const places: number[] = []
    for (let number = 0; number < Math.min(this.ids.count, this.#facts.length); number++) {
      if (first[number] === last[number]) continue
      count++
      places.push(last[number] ?? 0)
      if (places.length > maxKeptPlaces) keepSmallest(places)
    }
    keepSmallest(places)
    const examples = places.map((place) => `provider_references[${place}]`)
    findings.add({ rule: 'repeated-definition', count, examples })
  }

  #indexValues(): ValueIndex {
    const index = new ValueIndex()
    for (let number = 0; number < this.ids.count; number++) {
      if (!this.is(number, fact.defined | fact.missing)) continue
      const value = normaliseNumber(this.ids.texts.at(number))
      if (value !== undefined) index.add(value, number)
    }
    return index
  }

  #enlarge(length: number): void {
    const [facts, rows] = [this.#facts, this.#rows]
    const [first, last] = [this.#firstPlaces, this.#lastPlaces]
    this.#facts = new Uint8Array(length)
    this.#rows = new Float64Array(length)
    this.#firstPlaces = new Uint32Array(length)
    this.#lastPlaces = new Uint32Array(length)
    this.#facts.set(facts)
    this.#rows.set(rows)
    this.#firstPlaces.set(first)
    this.#lastPlaces.set(last)
  }
}

const initialLength = 256

const maxKeptPlaces = 1000

function keepSmallest(places: number[]): void {
  places.sort((a, b) => a - b)
  places.length = Math.min(places.length, maxExamples)
}

/** Finds the only id of a numeric value. */
class ValueIndex {
  readonly #values = new TextPool()
  /** By value: the number of its id, or `several`. */
  readonly #numbers: number[] = []

  add(value: string, number: number): void {
    const index = this.#values.add(value)
    this.#numbers[index] = index < this.#numbers.length ? several : number
  }

  find(value: string): number | undefined {
    const number = this.#numbers[this.#values.find(value) ?? -1]
    return number === several ? undefined : number
  }
}

const several = -1
