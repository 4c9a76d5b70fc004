import type { NewSeed } from '../../decode/keyed-hash.ts'
import type { InlineGroup, InlineTaker } from '../../decode/provider-groups.ts'
import { noText } from '../distinct/text-list.ts'
import type { RowFilter } from '../row-filter.ts'
import { groupMarks } from './group-fields.ts'
import { GroupStore } from './group-store.ts'
import { NpiRuns } from './npi-runs.ts'

/** The inline groups that a portion of a file has: consecutive numbers. */
export interface PortionGroups {
  readonly first: number
  readonly count: number
}

/**
 * Inline groups until they are written. They are numbered in the file, and written whenever many are there: a price knows
 * its group by its number only.
 */
export class InlineGroups implements InlineTaker {
  readonly store: GroupStore
  /** The NPIs of groups that were written, those with prices. */
  readonly npis: NpiRuns
  /** The number of the first group that is not written. */
  first = 0
  /** Groups whose prices are kept only if their item is: it is not known yet. */
  readonly undecided: number[] = []
  /** Whether a filter keeps groups that have no network. */
  readonly #keepsGroups: boolean
  readonly #kept: ReadonlySet<number> | undefined
  #firstOfPortion = 0

  /** @param folder an empty local folder; the caller removes it */
  constructor(folder: string, { npis, keepsNetworks }: RowFilter, newSeed: NewSeed) {
    this.store = new GroupStore(newSeed)
    this.npis = new NpiRuns(folder)
    this.#keepsGroups = keepsNetworks?.([]) ?? true
    this.#kept = npis
  }

  /** The groups of the current portion of the file. */
  get portion(): PortionGroups {
    return { first: this.#firstOfPortion, count: this.first + this.store.count - this.#firstOfPortion }
  }

  /** Ends the group that was read into the store. @returns its number, or that of an equal one */
  end(): InlineGroup {
    const { store } = this
    if (!store.hasOpen) return undefined
    if (!this.#keepsGroups) store.dropOpen()
    const group = store.endGroup(this.#kept)
    if (group === undefined) return 'left out'
    const number = this.first + group
    if (number >= maxGroups) throw new RangeError(`a file has more than ${maxGroups} inline provider groups`)
    return number
  }

  /** How many rows of `provider_groups` a group that was just added has. */
  rowsOf(number: number): number {
    return this.store.rowsOf(number - this.first)
  }

  /**
   * Notes that prices name a group that was just added: groups without prices are not written.
   *
   * @param isCertain whether their item is known to be kept; if not, `decide` tells
   */
  use(number: number, isCertain: boolean): void {
    if (isCertain) this.store.mark(number - this.first, groupMarks.used)
    else this.undecided.push(number)
  }

  /** Tells whether the item of undecided groups is kept. */
  decide(isKept: boolean): void {
    if (isKept) for (const number of this.undecided) this.use(number, true)
    this.undecided.length = 0
    this.npis.decide(isKept)
  }

  /** Begins the next portion of the file. Equal groups are stored again in each portion, so that its numbers are consecutive. */
  startPortion(): void {
    this.store.forget()
    this.#firstOfPortion = this.first + this.store.count
  }

  /** Removes what was written. */
  clear(): void {
    this.first += this.store.count
    this.store.clear()
    this.undecided.length = 0
  }
}

/** Numbers are values of columns, among which `noText` is none. */
const maxGroups = noText
