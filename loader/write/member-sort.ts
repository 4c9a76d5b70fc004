import { float64At, uint32At } from '../../schema/at.ts'
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
   * Sorts the members of the groups that have a use.
   *
   * @param filterNpis the NPIs that a filter keeps; all if absent
   * @returns number of members
   */
  sort(store: StoredGroups, filterNpis?: ReadonlySet<number>): number {
    const rows = this.#gather(store, filterNpis)
    for (const place of [0, 1, 2] as const) this.#pass(rows, place)
    return rows
  }

  #gather(store: StoredGroups, filterNpis: ReadonlySet<number> | undefined): number {
    const { npis } = store
    if (this.npis.length < npis.length) {
      this.npis = new Float64Array(npis.length)
      this.tins = new Uint32Array(npis.length)
      this.#otherNpis = new Float64Array(npis.length)
      this.#otherTins = new Uint32Array(npis.length)
    }
    let rows = 0
    for (let group = 0; group < store.count; group++) {
      if (store.of(group, groupField.use) === 0) continue
      const endOfTins = store.firstTin(group + 1)
      for (let tin = store.firstTin(group); tin < endOfTins; tin++) {
        if (!store.keepsTin(tin)) continue
        const end = store.firstMember(tin + 1)
        for (let member = store.firstMember(tin); member < end; member++) {
          const npi = float64At(npis.items, member)
          if (filterNpis !== undefined && !filterNpis.has(npi)) continue
          this.npis[rows] = npi
          this.tins[rows++] = tin
        }
      }
    }
    return rows
  }

  /** Sorts by one digit, and keeps the order of rows with the same digit. */
  #pass(rows: number, place: Place): void {
    const sorted = { npis: this.#otherNpis, tins: this.#otherTins }
    const starts = new Uint32Array(highBuckets + 1)
    countDigits(this.npis.subarray(0, rows), place, starts)
    for (let digit = 1; digit <= highBuckets; digit++)
      starts[digit] = uint32At(starts, digit) + uint32At(starts, digit - 1)
    distribute({ npis: this.npis.subarray(0, rows), tins: this.tins }, sorted, place, starts)
    this.#otherNpis = this.npis
    this.#otherTins = this.tins
    this.npis = sorted.npis
    this.tins = sorted.tins
  }
}

// Loops are functions of their own, as in loader/write/parquet/find-distinct.ts.

/** Counts the members by a digit of their NPIs: a digit is counted at the place behind it. */
function countDigits(npis: Float64Array, place: Place, counts: Uint32Array): void {
  for (let row = 0; row < npis.length; row++) {
    const digit = digitAt(float64At(npis, row), place)
    counts[digit + 1] = uint32At(counts, digit + 1) + 1
  }
}

/** Members of groups, by row. */
interface Members {
  readonly npis: Float64Array
  readonly tins: Uint32Array
}

/** @param starts by digit: the row of its next member; changes */
function distribute({ npis, tins }: Members, sorted: Members, place: Place, starts: Uint32Array): void {
  for (let row = 0; row < npis.length; row++) {
    const npi = float64At(npis, row)
    const digit = digitAt(npi, place)
    const to = uint32At(starts, digit)
    starts[digit] = to + 1
    sorted.npis[to] = npi
    sorted.tins[to] = uint32At(tins, row)
  }
}
