import { float64At, uint32At } from '../../../schema/at.ts'
import { createHashKey, HashedWords, type HashKey, type NewSeed } from '../../decode/keyed-hash.ts'
import { tinField, tinSize } from './group-fields.ts'
import type { StoredGroups } from './stored-groups.ts'

/** NPIs whose highest bits fit in one word: each has 34. */
const npisPerWord = 16

/** Hashes provider groups by all that they are told apart by: what it left out, a file could vary without end. */
export class GroupHash {
  readonly #words = new HashedWords()
  readonly #newSeed: NewSeed
  #key: HashKey

  constructor(newSeed: NewSeed) {
    this.#newSeed = newSeed
    this.#key = createHashKey(newSeed)
  }

  /** Makes all hashes others. */
  renew(): void {
    this.#key = createHashKey(this.#newSeed)
  }

  /**
   * Hashes consecutive TINs of a group with their members.
   *
   * @param reference as in `groupField`
   * @returns 32 bits
   */
  of(store: StoredGroups, firstTin: number, endOfTins: number, reference: number): number {
    const words = this.#words
    const { items } = store.tins
    const npis = store.npis.items
    const first = store.firstMember(firstTin)
    const end = store.firstMember(endOfTins)
    words.clear()
    words.add(reference)
    for (let at = firstTin * tinSize; at < endOfTins * tinSize; at += tinSize) {
      for (let field: number = tinField.type; field < tinField.endOfMembers; field++)
        words.add(uint32At(items, at + field))
      words.add(uint32At(items, at + tinField.endOfMembers) - first)
    }
    for (let at = first; at < end; at++) words.add(float64At(npis, at))
    for (let from = first; from < end; from += npisPerWord) {
      let high = 0
      for (let at = from; at < Math.min(end, from + npisPerWord); at++)
        high = (high << 2) | Math.floor(float64At(npis, at) / 2 ** 32)
      words.add(high)
    }
    return words.hash(this.#key)
  }
}
