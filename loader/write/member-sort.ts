import { groupField } from '../collect/groups/group-fields.ts'
import type { StoredGroups } from '../collect/groups/stored-groups.ts'

/** Bits of an NPI by which each pass sorts: 34 in all, for ten digits. */
const lowBits = 11
const lowBuckets = 1 << lowBits
const highUnit = 2 ** (2 * lowBits)
const highBuckets = 1 << 12

type Place = 0 | 1 | 2

/** A digit of an NPI; the lowest has place 0. */
function digitAt(npi: number, place: Place): number {
  if (place === 0) return npi & (lowBuckets - 1)
  return place === 1 ? (npi >>> lowBits) & (lowBuckets - 1) : Math.floor(npi / highUnit)
}

/** Sorts the members of groups by NPI. */
export class MemberSort {
  /** By row, valid until the next sort. */
  npis = new Float64Array(0)
  /** By row. */
  tins = new Uint32Array(0)
  #otherNpis = new Float64Array(0)
  #otherTins = new Uint32Array(0)

  /**
   * Sorts the members of marked groups.
   *
   * @param kept the NPIs that a filter keeps; all if absent
   * @returns how many there are
   */
  sort(store: StoredGroups, kept?: ReadonlySet<number>): number {
    const rows = this.#gather(store, kept)
    for (const place of [0, 1, 2] as const) this.#pass(rows, place)
    return rows
  }

  #gather(store: StoredGroups, kept: ReadonlySet<number> | undefined): number {
    const { npis } = store
    if (this.npis.length < npis.length) {
      this.npis = new Float64Array(npis.length)
      this.tins = new Uint32Array(npis.length)
      this.#otherNpis = new Float64Array(npis.length)
      this.#otherTins = new Uint32Array(npis.length)
    }
    let rows = 0
    for (let group = 0; group < store.count; group++) {
      if (store.of(group, groupField.mark) === 0) continue
      const endOfTins = store.firstTin(group + 1)
      for (let tin = store.firstTin(group); tin < endOfTins; tin++) {
        if (!store.keepsTin(tin)) continue
        const end = store.firstMember(tin + 1)
        for (let member = store.firstMember(tin); member < end; member++) {
          const npi = npis.items[member] ?? 0
          if (kept !== undefined && !kept.has(npi)) continue
          this.npis[rows] = npi
          this.tins[rows++] = tin
        }
      }
    }
    return rows
  }

  /** Sorts by one digit, and keeps the order of rows with the same. */
  #pass(rows: number, place: Place): void {
    const [npis, tins, toNpis, toTins] = [this.npis, this.tins, this.#otherNpis, this.#otherTins]
    const starts = new Uint32Array(highBuckets + 1)
    countDigits(npis, rows, place, starts)
    for (let digit = 1; digit <= highBuckets; digit++) starts[digit] = (starts[digit] ?? 0) + (starts[digit - 1] ?? 0)
    distribute([npis, tins], [toNpis, toTins], rows, place, starts)
    this.npis = toNpis
    this.tins = toTins
    this.#otherNpis = npis
    this.#otherTins = tins
  }
}

// Loops are functions of their own, as in loader/write/parquet/find-distinct.ts.

function countDigits(npis: Float64Array, rows: number, place: Place, starts: Uint32Array): void {
  for (let row = 0; row < rows; row++) {
    const digit = digitAt(npis[row] ?? 0, place)
    starts[digit + 1] = (starts[digit + 1] ?? 0) + 1
  }
}

type Members = readonly [npis: Float64Array, tins: Uint32Array]

function distribute(
  [npis, tins]: Members,
  [toNpis, toTins]: Members,
  rows: number,
  place: Place,
  starts: Uint32Array,
): void {
  for (let row = 0; row < rows; row++) {
    const npi = npis[row] ?? 0
    const digit = digitAt(npi, place)
    const to = starts[digit] ?? 0
    starts[digit] = to + 1
    toNpis[to] = npi
    toTins[to] = tins[row] ?? 0
  }
}
