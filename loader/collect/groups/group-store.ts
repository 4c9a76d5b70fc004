import { float64At, uint32At } from '../../../schema/at.ts'
import type { NewSeed } from '../../decode/keyed-hash.ts'
import type { OpenGroup } from '../../decode/provider-groups.ts'
import { HashSlots, noEntry } from '../distinct/hash-slots.ts'
import { noText } from '../distinct/text-list.ts'
import { TextPool } from '../distinct/text-pool.ts'
import { groupField, type Networks, tinField, tinSize } from './group-fields.ts'
import { GroupHash } from './group-hash.ts'
import { NetworkIndex } from './network-index.ts'
import { removeRepetitions, sortRange } from './sorted-range.ts'
import { StoredGroups } from './stored-groups.ts'

/**
 * Provider groups in typed arrays, because a file may have millions that share nothing. Those of references and those of
 * prices are read into its open group, TIN by TIN; when that ends it is stored, or known to be equal to another.
 */
export class GroupStore extends StoredGroups<TextPool> implements OpenGroup {
  #networks = new NetworkIndex()
  readonly #slots = new HashSlots()
  readonly #hash: GroupHash
  #all = new Float64Array(256)

  constructor(newSeed: NewSeed) {
    super(new TextPool(newSeed))
    this.#hash = new GroupHash(newSeed)
  }

  /** Slots of the hash tables of groups and texts that were looked at so far. */
  get probes(): number {
    return this.#slots.probes + this.texts.probes
  }

  get #tinCount(): number {
    return this.tins.length / tinSize
  }

  /** About the bytes of what is stored. */
  get weight(): number {
    const texts = uint32At(this.texts.starts, this.texts.count) + 16 * this.texts.count
    return 12 * this.npis.length + 28 * this.#tinCount + 32 * this.count + texts + this.#networks.bytes
  }

  /** Whether the open group has any TIN. */
  get hasOpen(): boolean {
    return this.#tinCount > this.firstTin(this.count)
  }

  /** @returns the index of the networks in `networkLists` */
  addNetworks(networks: Networks): number {
    const index = this.#networks.indexOf(networks, this.networkLists.length)
    if (index === this.networkLists.length) this.networkLists.push(networks)
    return index
  }

  addTin(type: number, value: number, name: number = noText, networks = 0): void {
    const { npis, tins } = this
    const start = this.firstMember(this.#tinCount)
    sortRange(npis.items, start, npis.length)
    npis.length = start + removeRepetitions(npis.items, start, npis.length)
    if (npis.length === start) return
    const at = tins.extend(tinSize)
    const { items } = tins
    items[at + tinField.group] = this.count
    items[at + tinField.type] = type
    items[at + tinField.value] = value
    items[at + tinField.name] = name
    items[at + tinField.networks] = networks
    items[at + tinField.endOfMembers] = npis.length
  }

  /** Adds the TINs of a group of another store to the open one. */
  addTinsOf(other: StoredGroups, group: number): void {
    const copy = (text: number) => (text === noText ? noText : this.texts.add(other.texts.at(text)))
    for (let tin = other.firstTin(group); tin < other.firstTin(group + 1); tin++) {
      for (let at = other.firstMember(tin); at < other.firstMember(tin + 1); at++)
        this.npis.push(float64At(other.npis.items, at))
      const [, type = 0, value = 0, name = 0, networks = 0] = other.fieldsOf(tin)
      const list = other.networkLists[networks]
      this.addTin(copy(type), copy(value), copy(name), list && this.addNetworks(list))
    }
  }

  /** @returns how many TINs and members there were */
  dropOpen(): { readonly tins: number; readonly members: number } {
    const first = this.firstTin(this.count)
    const open = { tins: this.#tinCount - first, members: this.firstMember(this.#tinCount) - this.firstMember(first) }
    this.#truncate(first)
    return open
  }

  /**
   * Ends the open group, in which each TIN is there once.
   *
   * @param kept the NPIs that a filter keeps; all if absent. The group's count of NPIs is that before
   * @param reference the number of its reference's id plus 1: groups of other references are others. 0 if it is inline
   * @param networks of all its TINs; those with which they were added if absent
   * @returns the number of the group or of an equal one; undefined if it has no NPI
   */
  endGroup(kept?: ReadonlySet<number>, reference = 0, networks?: number): number | undefined {
    const firstTin = this.firstTin(this.count)
    this.npis.length = this.firstMember(this.#tinCount)
    if (networks !== undefined)
      for (let tin = firstTin; tin < this.#tinCount; tin++)
        this.tins.items[tin * tinSize + tinField.networks] = networks
    const tinCount = this.#mayRepeat(firstTin) ? this.#unite(firstTin) : this.#tinCount - firstTin
    const npiCount = this.#countNpis(firstTin)
    if (kept !== undefined) this.#keep(firstTin, kept)
    if (this.#tinCount === firstTin) return undefined
    const slots = this.#slots
    let group = slots.first(this.#hash.of(this, firstTin, this.#tinCount, reference))
    while (group !== noEntry && !this.#isEqual(group, reference, npiCount, tinCount)) group = slots.next()
    if (group !== noEntry) {
      this.#truncate(firstTin)
      return group
    }
    slots.add(this.count)
    // In the order of `groupField`.
    for (const field of [this.#tinCount, npiCount, 0, reference, tinCount]) this.groups.push(field)
    if (slots.isCrowded) this.#rehash()
    return this.count - 1
  }

  /** Stores groups again even if they are equal to one that is there. */
  forget(): void {
    this.#slots.clear()
  }

  clear(): void {
    this.texts.clear()
    this.#networks = new NetworkIndex()
    for (const list of [this.networkLists, this.npis, this.tins, this.groups]) list.length = 0
    this.forget()
  }

  #truncate(tinCount: number): void {
    this.tins.length = tinCount * tinSize
    this.npis.length = this.firstMember(tinCount)
  }

  /** Whether two of the last TINs may be the same: they have the same value. */
  #mayRepeat(firstTin: number): boolean {
    const { items } = this.tins
    const start = firstTin * tinSize + tinField.value
    const end = this.tins.length
    if (end - start > fewTins * tinSize) {
      const values = new Uint32Array(this.#tinCount - firstTin)
      for (let tin = 0; tin < values.length; tin++) values[tin] = uint32At(items, start + tin * tinSize)
      // A set of numbers has collisions that the file chooses: the engine hashes them without a seed.
      values.sort()
      return values.some((value, index) => value === values[index - 1])
    }
    for (let at = start + tinSize; at < end; at += tinSize)
      for (let other = start; other < at; other += tinSize) if (items[at] === items[other]) return true
    return false
  }

  /** Brings the members of a TIN of the open group together. @returns how many TINs it has by type and value */
  #unite(firstTin: number): number {
    const united = new Map<string, { readonly fields: readonly number[]; readonly npis: number[] }>()
    for (let tin = firstTin; tin < this.#tinCount; tin++) {
      const fields = [...this.fieldsOf(tin).subarray(tinField.type, tinField.endOfMembers)]
      const known = united.get(fields.join()) ?? { fields, npis: [] }
      united.set(fields.join(), known)
      for (let at = this.firstMember(tin); at < this.firstMember(tin + 1); at++)
        known.npis.push(float64At(this.npis.items, at))
    }
    this.dropOpen()
    for (const { fields, npis } of united.values()) {
      for (const npi of npis) this.npis.push(npi)
      const [type = 0, value = 0, name, networks] = fields
      this.addTin(type, value, name, networks)
    }
    return new Set(Array.from(united.values(), ({ fields }) => fields.slice(0, 2).join())).size
  }

  /** Distinct NPIs of all TINs together, 0 not counted. */
  #countNpis(firstTin: number): number {
    const start = this.firstMember(firstTin)
    const end = this.npis.length
    const npis = this.npis.items
    if (this.#tinCount - firstTin <= 1) return end - start - (npis[start] === 0 && end > start ? 1 : 0)
    if (this.#all.length < end - start) this.#all = new Float64Array(2 * (end - start))
    const all = this.#all
    for (let at = start; at < end; at++) all[at - start] = float64At(npis, at)
    sortRange(all, 0, end - start)
    const distinct = removeRepetitions(all, 0, end - start)
    return distinct > 0 && all[0] === 0 ? distinct - 1 : distinct
  }

  #keep(firstTin: number, kept: ReadonlySet<number>): void {
    const { npis, tins } = this
    const end = this.#tinCount
    let [to, member, from] = [firstTin, this.firstMember(firstTin), this.firstMember(firstTin)]
    for (let tin = firstTin; tin < end; tin++) {
      const before = member
      for (const stop = this.firstMember(tin + 1); from < stop; from++) {
        const npi = float64At(npis.items, from)
        if (kept.has(npi)) npis.items[member++] = npi
      }
      if (member === before) continue
      tins.items.copyWithin(to * tinSize, tin * tinSize, (tin + 1) * tinSize)
      tins.items[to++ * tinSize + tinField.endOfMembers] = member
    }
    this.#truncate(to)
  }

  #rehash(): void {
    this.#hash.renew()
    this.#slots.rehash((group) =>
      this.#hash.of(this, this.firstTin(group), this.firstTin(group + 1), this.of(group, groupField.reference)),
    )
  }

  /** Whether a group is equal to the open one. */
  #isEqual(group: number, reference: number, npiCount: number, tinCount: number): boolean {
    const firstTin = this.firstTin(this.count)
    if (this.of(group, groupField.tinCount) !== tinCount) return false
    if (this.of(group, groupField.reference) !== reference) return false
    const otherTin = this.firstTin(group)
    const tins = this.#tinCount - firstTin
    if (this.of(group, groupField.npiCount) !== npiCount || this.firstTin(group + 1) - otherTin !== tins) return false
    const [start, otherStart] = [this.firstMember(firstTin), this.firstMember(otherTin)]
    const { items } = this.tins
    for (let tin = 0; tin < tins; tin++) {
      const [at, otherAt] = [(firstTin + tin) * tinSize, (otherTin + tin) * tinSize]
      for (let field: number = tinField.type; field < tinField.endOfMembers; field++)
        if (items[at + field] !== items[otherAt + field]) return false
      if (this.firstMember(firstTin + tin + 1) - start !== this.firstMember(otherTin + tin + 1) - otherStart)
        return false
    }
    const npis = this.npis.items
    for (let at = 0; at < this.npis.length - start; at++) if (npis[start + at] !== npis[otherStart + at]) return false
    return true
  }
}

/** TINs that are compared pair by pair. */
const fewTins = 8
