import type { RowFilter } from '../filter/row-filter.ts'
import { noText } from '../parquet/text-pool.ts'
import type { Numbering, PlainGroups } from '../plain/plain-groups.ts'
import type { TinMembers } from '../staging/tin-members.ts'
import { GroupStore } from './group-store.ts'
import { NpiRuns } from './npi-runs.ts'

/** An inline group's number; `left out` if the filter keeps none of it, undefined if it has no provider. */
export type InlineGroup = number | 'left out' | undefined

/** The inline groups that a portion of a file has: consecutive numbers. */
export interface PortionGroups {
  readonly first: number
  readonly count: number
}

/**
 * Inline groups until they are written. They are numbered in the file, and written whenever many are there: a price knows
 * its group by its number only.
 */
export class InlineGroups implements Numbering {
  readonly store = new GroupStore()
  /** The NPIs of groups that were written, those with prices. */
  readonly npis: NpiRuns
  /** Changes when groups that were added before are stored again. */
  generation = 0
  /** The number of the first group that is not written. */
  first = 0
  /** Groups whose prices are kept only if their item is: it is not known yet. */
  readonly undecided: number[] = []
  /** Whether a filter keeps groups that have no network. */
  readonly #keepsGroups: boolean
  readonly #kept: ReadonlySet<number> | undefined
  readonly #types = new Map<string, number>()
  #firstOfPortion = 0

  /** @param folder an empty local folder; the caller removes it */
  constructor(folder: string, { npis, keepsNetworks }: RowFilter) {
    this.npis = new NpiRuns(folder)
    this.#keepsGroups = keepsNetworks?.([]) ?? true
    this.#kept = npis
  }

  /** The groups of the current portion of the file. */
  get portion(): PortionGroups {
    return { first: this.#firstOfPortion, count: this.first + this.store.count - this.#firstOfPortion }
  }

  /** Adds groups of providers, unless equal ones are known. */
  add(tins: readonly TinMembers[]): InlineGroup {
    if (tins.every(({ npis }) => npis.length === 0)) return undefined
    if (!this.#keepsGroups) return 'left out'
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

  /** As `add`, for groups that were read from their bytes. */
  addPlain(groups: PlainGroups): Exclude<InlineGroup, undefined> {
    if (groups.numberedIn === this.generation) return groups.number
    groups.numberedIn = this.generation
    groups.number = this.#keepsGroups ? this.#storePlain(groups) : 'left out'
    return groups.number
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

  /** Begins the next portion of the file. Equal groups are stored again in each portion, so that its numbers are consecutive. */
  startPortion(): void {
    this.generation++
    this.store.forget()
    this.#firstOfPortion = this.first + this.store.count
  }

  /** Removes what was written. */
  clear(): void {
    this.first += this.store.count
    this.generation++
    this.store.clear()
    this.#types.clear()
    this.undecided.length = 0
  }

  #storePlain({ tins, firstTin, endOfTins }: PlainGroups): number | 'left out' {
    const { store } = this
    const { npis } = store
    store.beginGroup()
    for (let tin = firstTin; tin < endOfTins; tin++) {
      const name = tins.names[tin]
      store.beginTin(
        this.#typeOf(tins.types[tin] ?? ''),
        store.texts.addBytes(tins.values, tins.startOfValue(tin), tins.endsOfValues.items[tin] ?? 0),
        name === undefined ? noText : store.texts.add(name),
      )
      const end = tins.endsOfNpis.items[tin] ?? 0
      for (let at = tins.firstNpi(tin); at < end; at++) npis.push(tins.npis.items[at] ?? 0)
      store.endTin()
    }
    const group = store.endGroup(this.#kept)
    return group === undefined ? 'left out' : this.#number(group)
  }

  /** The text of a type, of which there are two. */
  #typeOf(type: string): number {
    const known = this.#types.get(type)
    if (known !== undefined) return known
    const text = this.store.texts.add(type)
    this.#types.set(type, text)
    return text
  }

  #number(group: number): number {
    const number = this.first + group
    if (number >= maxGroups) throw new RangeError(`a file has more than ${maxGroups} inline provider groups`)
    return number
  }
}

/** Numbers have 32 bits in tables and eight digits in keys. */
const maxGroups = 0xff_ff_ff_fe
