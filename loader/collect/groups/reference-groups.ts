import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { at, float64At } from '../../../schema/at.ts'
import type { NewSeed } from '../../decode/keyed-hash.ts'
import { NumberPool } from '../distinct/number-pool.ts'
import { groupField, groupUses, type Networks } from './group-fields.ts'
import { GroupStore } from './group-store.ts'
import { fact, type References } from './references.ts'
import { readGroups, saveGroups } from './saved-groups.ts'
import type { StoredGroups } from './stored-groups.ts'

/** Groups on disk. */
interface SavedFile {
  readonly path: string
  /** True if its groups are unions of several definitions. */
  readonly isMerged: boolean
}

/** Maximum number of NPIs in references with several definitions that are merged at a time. */
const maxMergedNpis = 2_000_000

/**
 * The provider groups of a file's references. They are written at the end, when it is known which references prices
 * name. Until then, most groups of a large file are on disk.
 */
export class ReferenceGroups {
  readonly store: GroupStore
  readonly #folder: string
  readonly #references: References
  readonly #keptNpis: ReadonlySet<number> | undefined
  readonly #newSeed: NewSeed
  readonly #saved: SavedFile[] = []
  #files = 0

  /**
   * @param folder an empty local folder; the caller removes it
   * @param keptNpis the NPIs that a filter keeps; all if absent
   */
  constructor(folder: string, references: References, keptNpis: ReadonlySet<number> | undefined, newSeed: NewSeed) {
    this.store = new GroupStore(newSeed)
    this.#newSeed = newSeed
    this.#folder = folder
    this.#references = references
    this.#keptNpis = keptNpis
  }

  /**
   * Ends the definition of a reference that was read into the store.
   *
   * @param number number of its id
   */
  define(number: number, networks: Networks): void {
    const { store } = this
    const nextGroup = store.count
    const group = store.endGroup(undefined, number + 1, store.addNetworks(networks))
    if (group === nextGroup) this.#references.provide(number, countKeptRows(store, group, this.#keptNpis))
  }

  /** Moves the groups in memory to disk. */
  async save(): Promise<void> {
    if (this.store.count > 0) await this.#save(this.store, false)
    this.store.clear()
  }

  /** Merges the definitions of each reference that has several. Call it once all are defined. */
  async merge(): Promise<void> {
    // The references with several definitions, and the numbers of rows in all definitions of each.
    const several = new NumberPool(this.#newSeed)
    const rows: number[] = []
    await this.#eachDefinition((store, group, number) => {
      if (!this.#references.is(number, fact.several)) return
      const position = several.add(number)
      rows[position] = (rows[position] ?? 0) + store.rowsOf(group)
    })
    for (let from = 0, end = 0; from < rows.length; from = end) {
      end = findEndOfBatch(rows, from)
      const batch = rows.slice(from, end).map((): number[] => [])
      const definitions = new GroupStore(this.#newSeed)
      await this.#eachDefinition((store, group, number) => {
        const groups = batch[several.find(number) - from]
        if (groups === undefined) return
        definitions.addTinsOf(store, group)
        const definition = definitions.endGroup(undefined, definitions.count)
        if (definition === undefined) throw new Error(`group ${group} of a reference has no NPI`)
        groups.push(definition)
      })
      const merged = new GroupStore(this.#newSeed)
      for (const [index, groups] of batch.entries()) {
        const number = several.at(from + index)
        for (const group of groups) merged.addTinsOf(definitions, group)
        const group = merged.endGroup(undefined, number + 1)
        if (group !== undefined) this.#references.provideMerged(number, countKeptRows(merged, group, this.#keptNpis))
      }
      await this.#save(merged, true)
    }
  }

  /**
   * Passes all groups on, with their uses, and removes them.
   *
   * @param take takes many groups at a time, and the NPIs that a filter keeps; all if absent
   */
  async take(take: (store: StoredGroups, keptNpis: ReadonlySet<number> | undefined) => Promise<void>): Promise<void> {
    await this.#eachStore(async (store, isMerged) => {
      for (let group = 0; group < store.count; group++) {
        const number = store.of(group, groupField.reference) - 1
        const isOld = !isMerged && this.#references.is(number, fact.several)
        const use = this.#references.is(number, fact.used) ? groupUses.used : groupUses.unused
        store.setUse(group, isOld ? 0 : use)
      }
      await take(store, this.#keptNpis)
    })
    for (const { path } of this.#saved.splice(0)) await rm(path)
  }

  async #eachStore(take: (store: StoredGroups, isMerged: boolean) => Promise<void>): Promise<void> {
    for (const { path, isMerged } of [...this.#saved]) await take(await readGroups(path), isMerged)
    if (this.store.count > 0) await take(this.store, false)
  }

  /** Passes on each definition that is not a union. */
  async #eachDefinition(take: (store: StoredGroups, group: number, number: number) => void): Promise<void> {
    await this.#eachStore(async (store, isMerged) => {
      for (let group = 0; group < store.count && !isMerged; group++)
        take(store, group, store.of(group, groupField.reference) - 1)
    })
  }

  async #save(store: StoredGroups, isMerged: boolean): Promise<void> {
    const path = join(this.#folder, `references-${this.#files++}`)
    await saveGroups(path, store)
    this.#saved.push({ path, isMerged })
  }
}

/**
 * Returns the end of the references that are merged together with the one at `from`, so that memory holds their rows.
 */
function findEndOfBatch(rows: readonly number[], from: number): number {
  let end = from
  let batchRows = 0
  for (; end < rows.length && (end === from || batchRows + at(rows, end) <= maxMergedNpis); end++)
    batchRows += at(rows, end)
  return end
}

/** Counts the rows of a group that the filters of networks and NPIs keep. */
function countKeptRows(store: StoredGroups, group: number, keptNpis: ReadonlySet<number> | undefined): number {
  let rows = 0
  for (let tin = store.firstTin(group); tin < store.firstTin(group + 1); tin++) {
    if (!store.keepsTin(tin)) continue
    const [first, end] = [store.firstMember(tin), store.firstMember(tin + 1)]
    if (keptNpis === undefined) rows += end - first
    else for (let member = first; member < end; member++) if (keptNpis.has(float64At(store.npis.items, member))) rows++
  }
  return rows
}
