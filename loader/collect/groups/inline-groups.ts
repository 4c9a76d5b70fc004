import type { NewSeed } from '../../decode/keyed-hash.ts'
import type { InlineGroup, InlineTaker } from '../../decode/provider-groups.ts'
import { noText } from '../distinct/text-list.ts'
import type { RowFilter } from '../row-filter.ts'
import { groupUses } from './group-fields.ts'
import { GroupStore } from './group-store.ts'
import { NpiRuns } from './npi-runs.ts'

/** The inline groups of a portion of a file, which have consecutive numbers. */
export interface PortionGroups {
  readonly first: number
  readonly count: number
}

/**
 * Inline groups that are not written yet. They are numbered within the file and written whenever there are many,
 * because a price needs only the number of its group.
 */
export class InlineGroups implements InlineTaker {
  readonly store: GroupStore
  /** The NPIs of written groups that have prices. */
  readonly npis: NpiRuns
  /** The number of the first group that is not written. */
  first = 0
  /** Groups with prices whose item comes later in the file and may be left out. */
  readonly undecided: number[] = []
  /** True if the filter keeps groups without a network. */
  readonly #keepsGroups: boolean
  readonly #keptNpis: ReadonlySet<number> | undefined
  #firstOfPortion = 0

  /** @param folder an empty local folder; the caller removes it */
  constructor(folder: string, { npis, keepsNetworks }: RowFilter, newSeed: NewSeed) {
    this.store = new GroupStore(newSeed)
    this.npis = new NpiRuns(folder)
    this.#keepsGroups = keepsNetworks?.([]) ?? true
    this.#keptNpis = npis
  }

  /** The groups of the current portion of the file. */
  get portion(): PortionGroups {
    return { first: this.#firstOfPortion, count: this.first + this.store.count - this.#firstOfPortion }
  }

  /** Ends the group that was read into the store. @returns the number of the group or of an equal one */
  end(): InlineGroup {
    const { store } = this
    if (!store.hasOpen) return undefined
    if (!this.#keepsGroups) store.dropOpen()
    const group = store.endGroup(this.#keptNpis)
    if (group === undefined) return 'left out'
    const number = this.first + group
    if (number >= maxGroups) throw new RangeError(`a file has more than ${maxGroups} inline provider groups`)
    return number
  }

  /** Returns the number of rows of `provider_groups` of a group that was just added. */
  rowsOf(number: number): number {
    return this.store.rowsOf(number - this.first)
  }

  /**
   * Notes that prices name a group that was just added: groups without prices are not written.
   *
   * @param isCertain true if their item is known to be kept; otherwise `decide` is called later
   */
  use(number: number, isCertain: boolean): void {
    if (isCertain) this.store.setUse(number - this.first, groupUses.used)
    else this.undecided.push(number)
  }

  /** Decides on the undecided groups, once it is known if their item is kept. */
  decide(isKept: boolean): void {
    if (isKept) for (const number of this.undecided) this.use(number, true)
    this.undecided.length = 0
    this.npis.decide(isKept)
  }

  /** Begins the next portion of the file. It stores equal groups again, so that its groups have consecutive numbers. */
  startPortion(): void {
    this.store.forget()
    this.#firstOfPortion = this.first + this.store.count
  }

  /** Removes the groups, which were written. */
  clear(): void {
    this.first += this.store.count
    this.store.clear()
    this.undecided.length = 0
  }
}

/** Maximum number of groups. Their numbers are values of columns, in which `noText` stands for none. */
const maxGroups = noText
