import { maxExamples } from '../../../fetch/occurrences.ts'
import { float64At, uint8At } from '../../../schema/at.ts'
import type { Findings } from '../../decode/findings.ts'
import { normaliseNumber } from '../../decode/json/published-number.ts'
import type { NewSeed } from '../../decode/keyed-hash.ts'
import { ReferenceIds } from './reference-ids.ts'

/** Facts about an id, as bits. */
export const fact = {
  defined: 1,
  /** The file with its groups is missing. */
  missing: 2,
  /** A definition has providers, even if the filter keeps none of them. */
  provided: 4,
  /** It has several different definitions. */
  several: 8,
  /** Prices name it. */
  used: 16,
} as const

/** Facts about the provider references of a file, by the numbers of their ids. */
export class References {
  readonly ids: ReferenceIds
  /** True if a reference is defined. A file has one list of them, so all are defined before its items or all after. */
  isAnyDefined = false
  // The number of an id without any fact may be beyond the end of these arrays, where it counts as 0.
  #facts = new Uint8Array(initialLength)
  #rows = new Float64Array(initialLength)
  // Arrays by id, because the engine's maps hash numbers without a seed: a file could choose numbers that collide.
  /** The position of the last definition plus 1; 0 unless the id is defined again. */
  #lastPositions = new Uint32Array(initialLength)
  /** The number that `match` returned plus 1; 0 before its first call. */
  #matches = new Uint32Array(initialLength)
  #byValue: ReadonlyMap<string, number | undefined> | undefined

  constructor(newSeed: NewSeed) {
    this.ids = new ReferenceIds(newSeed)
  }

  /** Notes a definition. @param position index of the reference in its file */
  define(number: number, position: number): void {
    this.isAnyDefined = true
    const isRepeated = this.is(number, fact.defined)
    this.note(number, fact.defined)
    if (isRepeated) this.#lastPositions[number] = position + 1
  }

  /**
   * Notes a definition with providers.
   *
   * @param keptRows number of its rows of `provider_groups` that the filter keeps
   */
  provide(number: number, keptRows: number): void {
    this.note(number, this.is(number, fact.provided) ? fact.several : fact.provided)
    this.#rows[number] = float64At(this.#rows, number) + keptRows
  }

  /** Notes the number of rows of all definitions together. */
  provideMerged(number: number, keptRows: number): void {
    this.#rows[number] = keptRows
  }

  note(number: number, facts: number): void {
    if (number >= this.#facts.length) this.#enlarge(2 * number)
    this.#facts[number] = uint8At(this.#facts, number) | facts
  }

  /** True if one of these facts is known. */
  is(number: number, facts: number): boolean {
    return ((this.#facts[number] ?? 0) & facts) !== 0
  }

  /** True if the filter keeps none of the providers known so far. */
  isLeftOut(number: number): boolean {
    return this.is(number, fact.provided) && this.rowsOf(number) === 0
  }

  /** Returns the number of rows of `provider_groups` of a reference. */
  rowsOf(number: number): number {
    return this.#rows[number] ?? 0
  }

  /**
   * Finds the reference that a price names, once all are defined: the one with the same id, or the only one whose id
   * has the same numeric value. An id that is defined without providers still counts as defined.
   *
   * @param number number of the id that the price names
   * @returns the number of the reference's id; `number` if there is no such reference
   */
  match(number: number): number {
    if (this.is(number, fact.defined | fact.missing)) return number
    const earlierMatch = this.#matches[number] ?? 0
    if (earlierMatch > 0) return earlierMatch - 1
    const value = normaliseNumber(this.ids.texts.at(number))
    this.#byValue ??= this.#indexValues()
    const match = (value === undefined ? undefined : this.#byValue.get(value)) ?? number
    if (number >= this.#matches.length) this.#enlarge(2 * number)
    this.#matches[number] = match + 1
    return match
  }

  /** Counts the ids that are defined in several positions. */
  countRepeated(findings: Findings): void {
    const positions = this.#lastPositions.filter((position) => position > 0).sort()
    const examples = Array.from(
      positions.subarray(0, maxExamples),
      (position) => `provider_references[${position - 1}]`,
    )
    findings.add({ rule: 'repeated-definition', count: positions.length, examples })
  }

  /** Returns the ids by their numeric value; undefined for a value that several ids have. */
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
    const [facts, rows, lastPositions, matches] = [this.#facts, this.#rows, this.#lastPositions, this.#matches]
    this.#facts = new Uint8Array(length)
    this.#rows = new Float64Array(length)
    this.#lastPositions = new Uint32Array(length)
    this.#matches = new Uint32Array(length)
    this.#facts.set(facts)
    this.#rows.set(rows)
    this.#lastPositions.set(lastPositions)
    this.#matches.set(matches)
  }
}

const initialLength = 256
