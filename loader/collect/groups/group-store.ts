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
 * Provider groups in typed arrays, because a file may have millions that share nothing. The groups of a reference or a
 * price are read into the open group, TIN by TIN. When the open group ends, it is stored unless an equal one is.
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

  /** Number of slots of the hash tables of groups and texts that were examined so far. */
  get probes(): number {
    return this.#slots.probes + this.texts.probes
  }

  get #tinCount(): number {
    return this.tins.length / tinSize
  }

  /** Approximate memory of the stored groups, in bytes. */
  get weight(): number {
    const texts = uint32At(this.texts.starts, this.texts.count) + 16 * this.texts.count
    return 12 * this.npis.length + 28 * this.#tinCount + 32 * this.count + texts + this.#networks.bytes
  }

  /** True if the open group has a TIN. */
  get hasOpen(): boolean {
    return this.#tinCount > this.firstTin(this.count)
  }

  /** Adds networks unless equal ones are stored. @returns their index in `networkLists` */
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
      const fields = other.fieldsOf(tin)
      const networks = other.networkLists[uint32At(fields, tinField.networks)]
      this.addTin(
        copy(uint32At(fields, tinField.type)),
        copy(uint32At(fields, tinField.value)),
        copy(uint32At(fields, tinField.name)),
        // A store of inline groups has no networks.
        networks && this.addNetworks(networks),
      )
    }
  }

  /** Removes the open group. @returns the numbers of its TINs and members */
  dropOpen(): { readonly tins: number; readonly members: number } {
    const first = this.firstTin(this.count)
    const open = { tins: this.#tinCount - first, members: this.firstMember(this.#tinCount) - this.firstMember(first) }
    this.#truncate(first)
    return open
  }

  /**
   * Ends the open group, and brings members of the same TIN together.
   *
   * @param keptNpis the NPIs that a filter keeps; all if absent. The group's count of NPIs includes those left out
   * @param reference number of its reference's id plus 1, because groups of different references differ; 0 if it is
   *   inline
   * @param networks networks of all its TINs; if absent, each TIN keeps the ones it was added with
   * @returns the number of the group or of an equal one; undefined if it has no NPI
   */
  endGroup(keptNpis?: ReadonlySet<number>, reference = 0, networks?: number): number | undefined {
    const firstTin = this.firstTin(this.count)
    this.npis.length = this.firstMember(this.#tinCount)
    if (networks !== undefined)
      for (let tin = firstTin; tin < this.#tinCount; tin++)
        this.tins.items[tin * tinSize + tinField.networks] = networks
    const tinCount = this.#mayRepeat(firstTin) ? this.#unite(firstTin) : this.#tinCount - firstTin
    const npiCount = this.#countNpis(firstTin)
    if (keptNpis !== undefined) this.#keepNpis(firstTin, keptNpis)
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

  /** Forgets which groups are stored, so that an equal one is stored again. */
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

  /** True if two TINs of the open group may be the same, because they have the same value. */
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

  /** Brings the members of each TIN of the open group together. @returns the number of TINs by type and value */
  #unite(firstTin: number): number {
    const united = new Map<string, { readonly fields: Uint32Array; readonly npis: number[] }>()
    for (let tin = firstTin; tin < this.#tinCount; tin++) {
      const fields = this.fieldsOf(tin).slice(tinField.type, tinField.endOfMembers)
      const entry = united.get(fields.join()) ?? { fields, npis: [] }
      united.set(fields.join(), entry)
      for (let at = this.firstMember(tin); at < this.firstMember(tin + 1); at++)
        entry.npis.push(float64At(this.npis.items, at))
    }
    this.dropOpen()
    for (const { fields, npis } of united.values()) {
      for (const npi of npis) this.npis.push(npi)
      this.addTin(uint32At(fields, 0), uint32At(fields, 1), uint32At(fields, 2), uint32At(fields, 3))
    }
    return new Set(Array.from(united.values(), ({ fields }) => fields.slice(0, 2).join())).size
  }

  /** Counts the distinct NPIs of all TINs together, without 0. */
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

  #keepNpis(firstTin: number, keptNpis: ReadonlySet<number>): void {
    const { npis, tins } = this
    const end = this.#tinCount
    let [to, member, from] = [firstTin, this.firstMember(firstTin), this.firstMember(firstTin)]
    for (let tin = firstTin; tin < end; tin++) {
      const before = member
      for (const stop = this.firstMember(tin + 1); from < stop; from++) {
        const npi = float64At(npis.items, from)
        if (keptNpis.has(npi)) npis.items[member++] = npi
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

  /** True if a group is equal to the open one. */
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

/** Maximum number of TINs that are compared pair by pair. */
const fewTins = 8
