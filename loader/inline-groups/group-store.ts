import { TextPool } from '../parquet/text-pool.ts'
import { Float64List, Uint32List } from './number-list.ts'

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
  // By group.
  readonly #firstTins = new Uint32List()
  /** Distinct NPIs of a group, also those that a filter leaves out; 0 is not counted. */
  readonly npiCounts = new Uint32List()
  /** 0 if the group is not used; `GroupRows` tells the others apart. */
  readonly marks = new Uint32List()
  readonly #hashes = new Uint32List()
  /** Open addressing: the number of a group plus 1, or 0. */
  #slots = new Uint32Array(1024)
  #all = new Float64Array(256)

  /** How many groups there are. */
  get count(): number {
    return this.marks.length
  }

  /** About the bytes of what is stored. */
  get weight(): number {
    return 12 * this.npis.length + 24 * this.groups.length + 20 * this.count + this.#textWeight
  }

  get #textWeight(): number {
    return (this.texts.starts[this.texts.count] ?? 0) + 16 * this.texts.count
  }

  beginGroup(): void {
    this.#firstTins.push(this.groups.length)
  }

  /** Begins a TIN of the group; its NPIs are those that are added to `npis` until `endTin`. */
  beginTin(type: number, value: number, name: number): void {
    this.#firstMembers.push(this.npis.length)
    this.groups.push(this.count)
    this.types.push(type)
    this.values.push(value)
    this.names.push(name)
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
   * @returns the number of the group or of an equal one; undefined if it has no NPI
   */
  endGroup(kept?: ReadonlySet<number>): number | undefined {
    const firstTin = this.#firstTins.items[--this.#firstTins.length] ?? 0
    const npiCount = this.#countNpis(firstTin)
    if (kept !== undefined) this.#keep(firstTin, kept)
    if (this.groups.length === firstTin) return undefined
    const hash = this.#hash(firstTin)
    if (2 * this.count >= this.#slots.length) this.#enlarge()
    const mask = this.#slots.length - 1
    let slot = hash & mask
    for (;;) {
      const found = this.#slots[slot] ?? 0
      if (found === 0) break
      if (this.#hashes.items[found - 1] === hash && this.#isEqual(found - 1, firstTin, npiCount)) {
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
    this.marks.push(0)
    return this.count - 1
  }

  /** How many rows a group has. */
  rowsOf(group: number): number {
    return this.firstMember(this.#firstTin(group + 1)) - this.firstMember(this.#firstTin(group))
  }

  /** Stores groups again even if they are equal to one that is there. */
  forget(): void {
    this.#slots.fill(0)
  }

  clear(): void {
    this.texts.clear()
    for (const list of [this.npis, this.#firstMembers, this.groups, this.types, this.values, this.names])
      list.length = 0
    for (const list of [this.#firstTins, this.npiCounts, this.marks, this.#hashes]) list.length = 0
    this.forget()
  }

  #firstTin(group: number): number {
    return group < this.count ? (this.#firstTins.items[group] ?? 0) : this.groups.length
  }

  /** Where the members of a TIN begin; those of the last end where the next one's would begin. */
  firstMember(tin: number): number {
    return tin < this.groups.length ? (this.#firstMembers.items[tin] ?? 0) : this.npis.length
  }

  #dropTins(from: number): void {
    for (const list of [this.#firstMembers, this.groups, this.types, this.values, this.names]) list.length = from
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
      for (const list of [this.types, this.values, this.names]) list.items[tin] = list.items[from] ?? 0
      tin++
    }
    this.npis.length = member
    this.#dropTins(tin)
  }

  #hash(firstTin: number): number {
    let hash = 0
    for (let tin = firstTin; tin < this.groups.length; tin++)
      hash = mix(mix(hash, this.values.items[tin] ?? 0), this.firstMember(tin) - this.firstMember(firstTin))
    const npis = this.npis.items
    for (let at = this.firstMember(firstTin); at < this.npis.length; at++) hash = mix(hash, npis[at] ?? 0)
    return (hash ^ (hash >>> 15)) >>> 0
  }

  /** Whether a group is equal to the last, whose TINs begin at `firstTin`. */
  #isEqual(group: number, firstTin: number, npiCount: number): boolean {
    const otherTin = this.#firstTin(group)
    const tins = this.groups.length - firstTin
    const endOfOther = group + 1 < this.count ? this.#firstTin(group + 1) : firstTin
    if (this.npiCounts.items[group] !== npiCount || endOfOther - otherTin !== tins) return false
    const [start, otherStart] = [this.firstMember(firstTin), this.firstMember(otherTin)]
    if (this.firstMember(endOfOther) - otherStart !== this.npis.length - start) return false
    for (let tin = 0; tin < tins; tin++) {
      for (const { items } of [this.types, this.values, this.names])
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

/** Items from which sorting by the engine is faster. */
const many = 48

/** Sorts part of an array; most are short, and many are sorted already. */
function sortRange(items: Float64Array, start: number, end: number): void {
  if (end - start > many) {
    items.subarray(start, end).sort()
    return
  }
  for (let at = start + 1; at < end; at++) {
    const item = items[at] ?? 0
    let to = at
    for (; to > start && (items[to - 1] ?? 0) > item; to--) items[to] = items[to - 1] ?? 0
    items[to] = item
  }
}

/** Removes repetitions from a sorted part of an array. @returns how many items remain */
function removeRepetitions(items: Float64Array, start: number, end: number): number {
  let to = start
  for (let at = start; at < end; at++) if (at === start || items[at] !== items[at - 1]) items[to++] = items[at] ?? 0
  return to - start
}
