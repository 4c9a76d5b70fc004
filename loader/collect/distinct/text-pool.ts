import { uint32At } from '../../../schema/at.ts'
import { hashBytes, type NewSeed, RenewableKey } from '../../decode/keyed-hash.ts'
import { HashSlots, noEntry } from './hash-slots.ts'
import { lengthBytes, TextList } from './text-list.ts'

/** Distinct texts of a publisher, each stored once. */
export class TextPool extends TextList {
  readonly #slots = new HashSlots()
  readonly #key: RenewableKey

  constructor(newSeed: NewSeed) {
    super()
    this.#key = new RenewableKey(newSeed)
  }

  /** Number of slots of the hash table that were examined so far. */
  get probes(): number {
    return this.#slots.probes
  }

  /** @returns the number of the text */
  add(text: string): number {
    const [start, end] = this.write(text)
    return this.addBytes(this.bytes, start, end)
  }

  /** @returns the number of the text with these bytes in UTF-8 */
  addBytes(source: Uint8Array, start: number, end: number): number {
    const slots = this.#slots
    let number = slots.first(hashBytes(source, start, end, this.#key))
    while (number !== noEntry && !this.#isEqual(number, source, start, end)) number = slots.next()
    if (number !== noEntry) return number
    slots.add(this.count)
    number = this.pushBytes(source, start, end)
    if (slots.isCrowded) this.#rehash()
    return number
  }

  clear(): void {
    this.count = 0
    this.#slots.clear()
  }

  #rehash(): void {
    this.#key.renew()
    const { bytes, starts } = this
    this.#slots.rehash((number) =>
      hashBytes(bytes, uint32At(starts, number) + lengthBytes, uint32At(starts, number + 1), this.#key),
    )
  }

  #isEqual(index: number, source: Uint8Array, start: number, end: number): boolean {
    let at = uint32At(this.starts, index) + lengthBytes
    if (uint32At(this.starts, index + 1) - at !== end - start) return false
    for (let from = start; from < end; from++) if (source[from] !== this.bytes[at++]) return false
    return true
  }
}
