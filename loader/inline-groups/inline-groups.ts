import type { GroupFilter } from '../filter/group-filter.ts'
import type { RowFilter } from '../filter/row-filter.ts'
import { noText } from '../parquet/text-pool.ts'
import type { TinMembers } from '../staging/tin-members.ts'
import { GroupStore } from './group-store.ts'
import { NpiRuns } from './npi-runs.ts'

/** An inline group's number; `left out` if the filter keeps none of it, undefined if it has no provider. */
export type InlineGroup = number | 'left out' | undefined

/** The inline groups that a part of a file has: consecutive numbers. */
export interface PartGroups {
  readonly first: number
  readonly count: number
}

/** Where inline groups are kept, and how they are numbered. */
export interface InlinePlace {
  /** An empty local folder; the caller removes it. */
  readonly folder: string
  /** The number of the first; 0 if absent. */
  readonly first?: number | undefined
}

/**
 * Inline groups until they are written. They are numbered in the file, and written whenever many are there: a price knows
 * its group by its number only.
 */
export class InlineGroups {
  readonly store = new GroupStore()
  /** The NPIs of groups that were written, those with prices. */
  readonly npis: NpiRuns
  /** The number of the first group that is not written. */
  first: number
  /** Groups whose prices are kept only if their item is: it is not known yet. */
  readonly undecided: number[] = []
  readonly #filter: GroupFilter
  readonly #kept: ReadonlySet<number> | undefined
  #firstOfPart: number

  constructor({ folder, first = 0 }: InlinePlace, filter: GroupFilter, { npis }: RowFilter) {
    this.npis = new NpiRuns(folder)
    this.first = first
    this.#firstOfPart = first
    this.#filter = filter
    this.#kept = npis
  }

  /** The groups of the current part of the file. */
  get part(): PartGroups {
    return { first: this.#firstOfPart, count: this.first + this.store.count - this.#firstOfPart }
  }

  /** Adds groups of providers, unless equal ones are known. */
  add(tins: readonly TinMembers[]): InlineGroup {
    if (tins.every(({ npis }) => npis.length === 0)) return undefined
    if (!this.#filter.keepsNetworks([])) return 'left out'
    const { store } = this
    store.beginGroup()
    for (const { type, value, businessName, npis } of tins) {
      const name = businessName === undefined ? noText : store.texts.add(businessName)
      store.beginTin(store.texts.add(type), store.texts.add(value), name)
      for (const npi of npis) store.npis.push(npi)
      store.endTin()
    }
    const group = store.endGroup(this.#kept)
    return group === undefined ? 'left out' : this.#number(group)
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
    if (isCertain) this.store.marks.items[number - this.first] = 1
    else this.undecided.push(number)
  }

  /** Tells whether the item of undecided groups is kept. */
  decide(isKept: boolean): void {
    if (isKept) for (const number of this.undecided) this.use(number, true)
    this.undecided.length = 0
    this.npis.decide(isKept)
  }

  /** Begins the next part of the file. Equal groups are stored again in each part, so that its numbers are consecutive. */
  startPart(): void {
    this.store.forget()
    this.#firstOfPart = this.first + this.store.count
  }

  /** Removes what was written. */
  clear(): void {
    this.first += this.store.count
    this.store.clear()
    this.undecided.length = 0
  }

  #number(group: number): number {
    const number = this.first + group
    if (number >= maxGroups) throw new RangeError(`a file has more than ${maxGroups} inline provider groups`)
    return number
  }
}

/** Numbers have 32 bits in tables and eight digits in keys. */
const maxGroups = 0xff_ff_ff_fe
