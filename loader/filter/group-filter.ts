import type { TinMembers } from '../staging/tin-members.ts'
import type { RowFilter } from './row-filter.ts'

/**
 * Maximum number of groups to remember as left out. Prices of other groups are staged, and dropped once all groups are
 * known.
 */
const maxLeftOut = 1_000_000

/**
 * Tracks the provider groups that a filtered load leaves out, so that their prices are skipped while a file is read.
 */
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
    return wanted === undefined || tins.some(({ npis }) => npis.some((npi) => wanted.has(npi)))
  }

  /** Records a definition of a group. A group is kept if any of its definitions is. */
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
