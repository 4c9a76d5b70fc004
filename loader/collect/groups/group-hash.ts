import { float64At, uint32At } from '../../../schema/at.ts'
import { HashedWords, type NewSeed, RenewableKey } from '../../decode/keyed-hash.ts'
import { tinField, tinSize } from './group-fields.ts'
import type { StoredGroups } from './stored-groups.ts'

/** Number of NPIs whose highest bits fit in one word: an NPI has 34 bits. */
const npisPerWord = 16

/**
 * Hashes provider groups by everything that distinguishes them. If the hash left anything out, a file could vary just
 * that and make all its groups collide.
 */
export class GroupHash {
  readonly #words = new HashedWords()
  readonly #key: RenewableKey

  constructor(newSeed: NewSeed) {
    this.#key = new RenewableKey(newSeed)
  }

  /** Changes all hashes. */
  renew(): void {
    this.#key.renew()
  }

  /**
   * Hashes consecutive TINs of a group with their members.
   *
   * @param reference `reference` of `groupField`
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
