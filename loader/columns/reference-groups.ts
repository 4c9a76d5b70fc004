import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Networks } from '../inline-groups/group-reference.ts'
import { type GroupRows, groupMarks } from '../inline-groups/group-rows.ts'
import { GroupStore } from '../inline-groups/group-store.ts'
import type { NpiRuns } from '../inline-groups/npi-runs.ts'
import { noText } from '../parquet/text-pool.ts'
import type { TinMembers } from '../staging/tin-members.ts'
import { escapeKey } from './group-keys.ts'
import { MergedTins } from './merged-tins.ts'
import type { References } from './references.ts'
import { readGroups, saveGroups } from './saved-groups.ts'

/** A TIN of a reference, with the networks of its definition. */
export interface ReferenceTin extends TinMembers {
  readonly networks: Networks
}

/** Groups on disk. */
interface SavedFile {
  readonly path: string
  /** Whether its groups are unions of several definitions. */
  readonly isMerged: boolean
}

/** NPIs of references with several definitions that are merged at a time. */
const maxMergedNpis = 2_000_000

/**
 * The provider groups of a file's references. They are written at the end, when it is known which of them prices name; until
 * then many are on disk.
 */
export class ReferenceGroups {
  readonly #folder: string
  readonly #references: References
  readonly #kept: ReadonlySet<number> | undefined
  readonly #saved: SavedFile[] = []
  #store = new GroupStore()
  #files = 0

  /**
   * @param folder an empty local folder; the caller removes it
   * @param kept the NPIs that a filter keeps; all if absent
   */
  constructor(folder: string, references: References, kept: ReadonlySet<number> | undefined) {
    this.#folder = folder
    this.#references = references
    this.#kept = kept
  }

  /** About the bytes of what is held in memory. */
  get weight(): number {
    return this.#store.weight
  }

  /**
   * Adds a definition of a reference.
   *
   * @param number of its id
   */
  add(number: number, tins: readonly TinMembers[], networks: Networks): void {
    const before = this.#store.count
    const group = this.#addTo(
      this.#store,
      number,
      tins.map((tin) => ({ ...tin, networks })),
    )
    if (group === before) this.#references.provide(number, countKeptRows(this.#store, group, this.#kept))
  }

  /** Brings what is in memory to disk. */
  async save(): Promise<void> {
    if (this.#store.count > 0) await this.#save(this.#store, false)
    this.#store = new GroupStore()
  }

  /** Merges the definitions of each reference that has several. Call it once all are defined. */
  async merge(): Promise<void> {
    const npis = new Map<number, number>()
    const count = (store: GroupStore, group: number, number: number) =>
      npis.set(number, (npis.get(number) ?? 0) + store.rowsOf(group))
    await this.#eachDefinition((number) => this.#references.hasSeveral(number), count)
    while (npis.size > 0) {
      const batch = new Map<number, MergedTins>()
      let taken = 0
      for (const [number, rows] of npis) {
        if (taken > 0 && taken + rows > maxMergedNpis) break
        batch.set(number, new MergedTins())
        npis.delete(number)
        taken += rows
      }
      const take = (store: GroupStore, group: number, number: number) => batch.get(number)?.take(store, group)
      await this.#eachDefinition((number) => batch.has(number), take)
      const merged = new GroupStore()
      for (const [number, tins] of batch) {
        const group = this.#addTo(merged, number, tins.list())
        if (group !== undefined) this.#references.provideMerged(number, countKeptRows(merged, group, this.#kept))
      }
      await this.#save(merged, true)
    }
  }

  /** Writes all groups, and notes the NPIs of those that prices name. */
  async write(rows: GroupRows, npis: NpiRuns): Promise<void> {
    await this.#eachStore(async (store, isMerged) => {
      for (let group = 0; group < store.count; group++) {
        const number = (store.references.items[group] ?? 0) - 1
        const isOld = !isMerged && this.#references.hasSeveral(number)
        const mark = this.#references.isUsed(number) ? groupMarks.used : groupMarks.unused
        store.marks.items[group] = isOld ? 0 : mark
      }
      await rows.writeReferences(store, npis, this.#kept)
    })
    for (const { path } of this.#saved.splice(0)) await rm(path)
  }

  async #eachStore(take: (store: GroupStore, isMerged: boolean) => Promise<void>): Promise<void> {
    for (const { path, isMerged } of [...this.#saved]) await take(await readGroups(path), isMerged)
    if (this.#store.count > 0) await take(this.#store, false)
  }

  /** Passes the definitions that were not merged, of some references. */
  async #eachDefinition(
    isWanted: (number: number) => boolean,
    take: (store: GroupStore, group: number, number: number) => void,
  ): Promise<void> {
    await this.#eachStore(async (store, isMerged) => {
      if (isMerged) return
      for (let group = 0; group < store.count; group++) {
        const number = (store.references.items[group] ?? 0) - 1
        if (isWanted(number)) take(store, group, number)
      }
    })
  }

  async #save(store: GroupStore, isMerged: boolean): Promise<void> {
    const path = join(this.#folder, `references-${this.#files++}`)
    await saveGroups(path, store)
    this.#saved.push({ path, isMerged })
  }

  /** @returns the number of the group in its store; undefined if it has no NPI */
  #addTo(store: GroupStore, number: number, tins: readonly ReferenceTin[]): number | undefined {
    const { texts } = store
    const id = this.#references.ids.texts.at(number)
    store.beginGroup()
    for (const { type, value, businessName, npis, networks } of tins) {
      const name = businessName === undefined ? noText : texts.add(businessName)
      store.beginTin(texts.add(type), texts.add(value), name, store.addNetworks(networks))
      for (const npi of npis) store.npis.push(npi)
      store.endTin()
    }
    return store.endGroup(undefined, { number, id: texts.add(id), key: texts.add(escapeKey(id)) })
  }
}

/** How many rows of a group the filters of networks and NPIs keep. */
function countKeptRows(store: GroupStore, group: number, kept: ReadonlySet<number> | undefined): number {
  let rows = 0
  for (let tin = store.firstTin(group); tin < store.firstTin(group + 1); tin++) {
    if (!store.keepsTin(tin)) continue
    const [first, end] = [store.firstMember(tin), store.firstMember(tin + 1)]
    if (kept === undefined) rows += end - first
    else for (let member = first; member < end; member++) if (kept.has(store.npis.items[member] ?? 0)) rows++
  }
  return rows
}
