import type { TinMembers } from '../staging/tin-members.ts'
import type { RowFilter } from './row-filter.ts'

/** Groups that are known to be left out; the prices of others are staged, and dropped when all groups are known. */
const maxLeftOut = 1_000_000

/** Knows which provider groups a filtered load leaves out, so that their prices are passed over while a file is read. */
export class GroupFilter {
  readonly #filter: RowFilter
  readonly #kept = new Set<bigint>()
  readonly #leftOut = new Set<bigint>()

  constructor(filter: RowFilter) {
    this.#filter = filter
  }

  /** Whether any group may be left out. */
  get isActive(): boolean {
    return this.#filter.npis !== undefined || this.#filter.keepsNetworks !== undefined
  }

  keepsNetworks(names: readonly string[]): boolean {
    return this.#filter.keepsNetworks?.(names) ?? true
  }

  /** Whether any of these NPIs is kept. */
  keepsMembers(tins: readonly TinMembers[]): boolean {
    const { npis: wanted } = this.#filter
    return wanted === undefined || tins.some(({ npis }) => [...npis].some((npi) => wanted.has(npi)))
  }

  /** Notes a definition of a group: one that is kept keeps the group. */
  note(number: bigint, isKept: boolean): void {
    if (!this.isActive) return
    if (isKept) {
      this.#kept.add(number)
      this.#leftOut.delete(number)
    } else if (!this.#kept.has(number) && this.#leftOut.size < maxLeftOut) this.#leftOut.add(number)
  }

  /** Whether all definitions of a group so far are left out; false if there are none. */
  isLeftOut(number: bigint): boolean {
    return this.#leftOut.has(number)
  }
}
