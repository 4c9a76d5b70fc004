import { noText, TextPool } from '../parquet/text-pool.ts'
import type { GroupReference, Networks } from './group-reference.ts'
import { Float64List, Uint32List } from './number-list.ts'
import { removeRepetitions, sortRange } from './sorted-range.ts'

/**
 * Provider groups in typed arrays, because a file may have millions that share nothing. Add a group between `beginGroup`
 * and `endGroup`; equal groups are stored once. Groups, TINs and members are numbered from 0, in the order in which they
 * were added.
 */
export class GroupStore {
  /** Types, values and business names of TINs. */
  readonly texts = new TextPool()
  /** By member. */
  readonly npis = new Float64List()
  // By TIN.
  readonly #firstMembers = new Uint32List()
  readonly groups = new Uint32List()
  readonly types = new Uint32List()
  readonly values = new Uint32List()
  readonly names = new Uint32List()
  /** Indexes of `networkLists`. */
  readonly networks = new Uint32List()
  readonly networkLists: Networks[] = []
  readonly #networksOf = new Map<string, number>()
  // By group.
  readonly #firstTins = new Uint32List()
  /** Distinct NPIs of a group, also those that a filter leaves out; 0 is not counted. */
  readonly npiCounts = new Uint32List()
  /** 0 if the group is not used; `GroupRows` tells the others apart. */
  readonly marks = new Uint32List()
  readonly #hashes = new Uint32List()
  /** The number of a reference's id plus 1; 0 for an inline group. */
  readonly references = new Uint32List()
  readonly ids = new Uint32List()
  readonly keys = new Uint32List()
  readonly #ofTins = [this.#firstMembers, this.groups, this.types, this.values, this.names, this.networks]
  readonly #ofGroups = [this.#firstTins, this.npiCounts, this.marks, this.#hashes, this.references, this.ids, this.keys]
  /** Open addressing: the number of a group plus 1, or 0. */
  #slots = new Uint32Array(1024)
  #all = new Float64Array(256)

  /** All of its lists but `npis`. */
  get lists(): readonly Uint32List[] {
    return [...this.#ofTins, ...this.#ofGroups]
  }

  /** How many groups there are. */
  get count(): number {
    return this.marks.length
  }

  /** About the bytes of what is stored. */
  get weight(): number {
    return 12 * this.npis.length + 28 * this.groups.length + 32 * this.count + this.#textWeight
  }

  get #textWeight(): number {
    return (this.texts.starts[this.texts.count] ?? 0) + 16 * this.texts.count
  }

  beginGroup(): void {
    this.#firstTins.push(this.groups.length)
  }

  /** @returns the index of the networks in `networkLists` */
  addNetworks(networks: Networks): number {
    const key = JSON.stringify(networks)
    const known = this.#networksOf.get(key)
    if (known !== undefined) return known
    this.#networksOf.set(key, this.networkLists.length)
    return this.networkLists.push(networks) - 1
  }

  /** Begins a TIN of the group; its NPIs are those that are added to `npis` until `endTin`. */
  beginTin(type: number, value: number, name: number, networks = 0): void {
    this.#firstMembers.push(this.npis.length)
    this.groups.push(this.count)
    this.types.push(type)
    this.values.push(value)
    this.names.push(name)
    this.networks.push(networks)
  }

  /** Sorts the NPIs of the TIN; each is stored once. */
  endTin(): void {
    const start = this.#firstMembers.items[this.#firstMembers.length - 1] ?? 0
    sortRange(this.npis.items, start, this.npis.length)
    this.npis.length = start + removeRepetitions(this.npis.items, start, this.npis.length)
    if (this.npis.length === start) this.#dropTins(this.groups.length - 1)
  }

  /**
   * Ends the group.
   *
   * @param kept the NPIs that a filter keeps; all if absent. The group's count of NPIs is that before
   * @param reference of the group, if it is not inline: groups of other references are others
   * @returns the number of the group or of an equal one; undefined if it has no NPI
   */
  endGroup(kept?: ReadonlySet<number>, reference?: GroupReference): number | undefined {
    const firstTin = this.#firstTins.items[--this.#firstTins.length] ?? 0
    const npiCount = this.#countNpis(firstTin)
    if (kept !== undefined) this.#keep(firstTin, kept)
    if (this.groups.length === firstTin) return undefined
    const referenced = reference === undefined ? 0 : reference.number + 1
    const hash = this.#hash(firstTin, referenced)
    if (2 * this.count >= this.#slots.length) this.#enlarge()
    const mask = this.#slots.length - 1
    let slot = hash & mask
    for (;;) {
      const found = this.#slots[slot] ?? 0
      if (found === 0) break
      const isAlike = this.#hashes.items[found - 1] === hash && this.references.items[found - 1] === referenced
      if (isAlike && this.#isEqual(found - 1, firstTin, npiCount)) {
        this.npis.length = this.firstMember(firstTin)
        this.#dropTins(firstTin)
        return found - 1
      }
      slot = (slot + 1) & mask
    }
    this.#slots[slot] = this.count + 1
    this.#hashes.push(hash)
    this.#firstTins.push(firstTin)
    this.npiCounts.push(npiCount)
    this.references.push(referenced)
    this.ids.push(reference?.id ?? noText)
    this.keys.push(reference?.key ?? noText)
    this.marks.push(0)
    return this.count - 1
  }

  /** How many rows a group has. */
  rowsOf(group: number): number {
    return this.firstMember(this.firstTin(group + 1)) - this.firstMember(this.firstTin(group))
  }

  /** Whether the filter keeps the networks of a TIN. */
  keepsTin(tin: number): boolean {
    return this.networkLists[this.networks.items[tin] ?? 0]?.isKept ?? true
  }

  /** Stores groups again even if they are equal to one that is there. */
  forget(): void {
    this.#slots.fill(0)
  }

  clear(): void {
    this.texts.clear()
    this.networkLists.length = 0
    this.#networksOf.clear()
    for (const list of [this.npis, ...this.lists]) list.length = 0
    this.forget()
  }

  /** Where the TINs of a group begin; those of the last end where the next one's would begin. */
  firstTin(group: number): number {
    return group < this.count ? (this.#firstTins.items[group] ?? 0) : this.groups.length
  }

  /** Where the members of a TIN begin; those of the last end where the next one's would begin. */
  firstMember(tin: number): number {
    return tin < this.groups.length ? (this.#firstMembers.items[tin] ?? 0) : this.npis.length
  }

  #dropTins(from: number): void {
    for (const list of this.#ofTins) list.length = from
  }

  /** Distinct NPIs of all TINs together, 0 not counted. */
  #countNpis(firstTin: number): number {
    const start = this.firstMember(firstTin)
    const end = this.npis.length
    const npis = this.npis.items
    if (this.groups.length - firstTin <= 1) return end - start - (npis[start] === 0 && end > start ? 1 : 0)
    if (this.#all.length < end - start) this.#all = new Float64Array(2 * (end - start))
    const all = this.#all
    for (let at = start; at < end; at++) all[at - start] = npis[at] ?? 0
    sortRange(all, 0, end - start)
    const distinct = removeRepetitions(all, 0, end - start)
    return distinct > 0 && all[0] === 0 ? distinct - 1 : distinct
  }

  #keep(firstTin: number, kept: ReadonlySet<number>): void {
    const tins = this.groups.length
    let [tin, member] = [firstTin, this.firstMember(firstTin)]
    for (let from = firstTin; from < tins; from++) {
      const start = this.firstMember(from)
      const stop = this.firstMember(from + 1)
      const before = member
      for (let at = start; at < stop; at++) {
        const npi = this.npis.items[at] ?? 0
        if (kept.has(npi)) this.npis.items[member++] = npi
      }
      if (member === before) continue
      this.#firstMembers.items[tin] = before
      for (const list of [this.types, this.values, this.names, this.networks]) list.items[tin] = list.items[from] ?? 0
      tin++
    }
    this.npis.length = member
    this.#dropTins(tin)
  }

  #hash(firstTin: number, reference: number): number {
    let hash = reference
    for (let tin = firstTin; tin < this.groups.length; tin++)
      hash = mix(mix(hash, this.values.items[tin] ?? 0), this.firstMember(tin) - this.firstMember(firstTin))
    const npis = this.npis.items
    for (let at = this.firstMember(firstTin); at < this.npis.length; at++) hash = mix(hash, npis[at] ?? 0)
    return (hash ^ (hash >>> 15)) >>> 0
  }

  /** Whether a group is equal to the last, whose TINs begin at `firstTin`. */
  #isEqual(group: number, firstTin: number, npiCount: number): boolean {
    const otherTin = this.firstTin(group)
    const tins = this.groups.length - firstTin
    const endOfOther = group + 1 < this.count ? this.firstTin(group + 1) : firstTin
    if (this.npiCounts.items[group] !== npiCount || endOfOther - otherTin !== tins) return false
    const [start, otherStart] = [this.firstMember(firstTin), this.firstMember(otherTin)]
    if (this.firstMember(endOfOther) - otherStart !== this.npis.length - start) return false
    for (let tin = 0; tin < tins; tin++) {
      for (const { items } of [this.types, this.values, this.names, this.networks])
        if (items[firstTin + tin] !== items[otherTin + tin]) return false
      if (this.firstMember(firstTin + tin) - start !== this.firstMember(otherTin + tin) - otherStart) return false
    }
    const npis = this.npis.items
    for (let at = 0; at < this.npis.length - start; at++) if (npis[start + at] !== npis[otherStart + at]) return false
    return true
  }

  #enlarge(): void {
    const old = this.#slots
    this.#slots = new Uint32Array(2 * old.length)
    const mask = this.#slots.length - 1
    for (const found of old) {
      if (found === 0) continue
      let slot = (this.#hashes.items[found - 1] ?? 0) & mask
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
      this.#slots[slot] = found
    }
  }
}

const mix = (hash: number, value: number) => Math.imul(hash ^ value, 0x85_eb_ca_6b) ^ (hash >>> 13)
