import { sourceIdColumn } from '../../schema/columns/column.ts'
import type { ColumnsOf } from '../../schema/columns/rates.ts'
import {
  groupTable,
  providerGroupKey,
  readFileName,
  type WarehouseTable,
} from '../../schema/columns/warehouse-tables.ts'
import { type DistinctValues, NaturalNumbers } from '../columns/distinct-values.ts'
import { groupField, groupMarks, tinField, tinSize } from '../columns/groups/group-fields.ts'
import { GroupKeys } from '../columns/groups/group-keys.ts'
import type { InlineGroups } from '../columns/groups/inline-groups.ts'
import type { NpiRuns } from '../columns/groups/npi-runs.ts'
import { ReferenceIds } from '../columns/groups/reference-ids.ts'
import { StoredGroups } from '../columns/groups/stored-groups.ts'
import type { TextPool } from '../columns/text-pool.ts'
import { MemberSort } from './member-sort.ts'
import { DictionaryColumn } from './parquet/dictionary-column.ts'
import { type RowGroup, writeRows } from './parquet/write-rows.ts'

/** What the groups of references are named by. */
interface NamedGroups {
  /** Their ids. */
  readonly texts: TextPool
  /** By group: the number of its id, and the rank of its key. */
  readonly numbers: Uint32Array
  readonly ranks: Uint32Array
}

/** Writes provider groups as rows of `provider_groups`. */
export class GroupRows {
  readonly #sort = new MemberSort()
  readonly #nextFile: (table: WarehouseTable) => string

  /** @param nextFile gives a local path for each file of a table */
  constructor(nextFile: (table: WarehouseTable) => string) {
    this.#nextFile = nextFile
  }

  /** Writes the inline groups that prices name, and notes their NPIs. */
  async writeInline(inline: InlineGroups): Promise<void> {
    const { store, npis, first } = inline
    for (const number of inline.undecided)
      if (store.of(number - first, groupField.mark) === 0) store.mark(number - first, groupMarks.undecided)
    const rows = this.#sort.sort(store)
    if (rows === 0) return
    if (inline.undecided.length === 0) this.#noteAllNpis(npis, rows)
    else for (const mark of [groupMarks.used, groupMarks.undecided]) this.#noteNpis(store, npis, rows, mark)
    await this.#writeRows(store, rows, new GroupKeys(noIds, { first, count: store.count }))
  }

  /**
   * Writes the marked groups of references, and notes the NPIs of those that are used.
   *
   * @param kept the NPIs that a filter keeps; all if absent
   */
  async writeReferences(
    store: StoredGroups,
    ids: ReferenceIds,
    npis: NpiRuns,
    kept: ReadonlySet<number> | undefined,
  ): Promise<void> {
    const keys = new GroupKeys(ids, { first: 0, count: 0 })
    const numbers = store.ofGroups(groupField.reference).map((reference) => reference - 1)
    const ranks = numbers.map((number) => keys.rankOfReference(number))
    const order = ranks.map((_, group) => group).sort((one, other) => (ranks[one] ?? 0) - (ranks[other] ?? 0))
    const rows = this.#sort.sort(store, order, kept)
    this.#noteNpis(store, npis, rows, groupMarks.used)
    if (rows > 0) await this.#writeRows(store, rows, keys, { texts: ids.texts, numbers, ranks })
  }

  /** Writes a file without rows. */
  async writeNothing(): Promise<void> {
    await this.#writeRows(new StoredGroups(), 0, new GroupKeys(noIds, { first: 0, count: 0 }))
  }

  #noteAllNpis(npis: NpiRuns, rows: number): void {
    for (let row = 0; row < rows; row++) npis.add(this.#sort.npis[row] ?? 0)
    npis.endRun(true)
  }

  #noteNpis(store: StoredGroups, npis: NpiRuns, rows: number, mark: number): void {
    for (let row = 0; row < rows; row++) {
      const group = store.tins.items[(this.#sort.tins[row] ?? 0) * tinSize + tinField.group] ?? 0
      if (store.of(group, groupField.mark) === mark) npis.add(this.#sort.npis[row] ?? 0)
    }
    npis.endRun(mark === groupMarks.used)
  }

  async #writeRows(store: StoredGroups, rows: number, keys: GroupKeys, named?: NamedGroups): Promise<void> {
    const path = this.#nextFile(groupTable)
    const { texts, networkLists } = store
    const groups = store.ofTins(tinField.group)
    const ofTexts = (field: number) => new DictionaryColumn(texts, { ofId: store.ofTins(field), ...seldomRepeated })
    const ofGroups = (distinct: DistinctValues, numbers: Uint32Array, options?: { readonly minRepetition: number }) =>
      new DictionaryColumn(distinct, { ofId: groups.map((group) => numbers[group] ?? 0), ...options })
    const countOf = (field: number) => {
      const counts = store.ofGroups(field)
      return ofGroups(new NaturalNumbers(counts), counts)
    }
    const networks = networkLists.map(({ names }) => names)
    const nothing = DictionaryColumn.of([null], false)
    const ofTins: Readonly<Record<Exclude<ColumnsOf<'member' | 'tin' | 'reference'>, 'npi'>, DictionaryColumn>> = {
      tin_type: ofTexts(tinField.type),
      tin_value: ofTexts(tinField.value),
      tin_business_name: ofTexts(tinField.name),
      network_name: DictionaryColumn.of(networks, true, store.ofTins(tinField.networks)),
      provider_group_id: named ? ofGroups(named.texts, named.numbers, seldomRepeated) : nothing,
      provider_group_npi_count: countOf(groupField.npiCount),
      provider_group_tin_count: countOf(groupField.tinCount),
    }
    const ofKeys = named
      ? ofGroups(keys, named.ranks, seldomRepeated)
      : new DictionaryColumn(keys, { ofId: groups, ...unrepeated })
    const values = new Map([
      ...Object.entries(ofTins),
      [providerGroupKey.name, ofKeys],
      [sourceIdColumn, DictionaryColumn.of([readFileName(path)?.id ?? null], false)],
    ])
    await writeRows({ path, columns: groupTable.columns, rows, shared: [values], integers: ['npi'] }, (group) =>
      this.#sortedRows(rows, group),
    )
  }

  *#sortedRows(rows: number, { ids, integers: [integers], size }: RowGroup): Generator<number> {
    const { npis, tins } = this.#sort
    const words = new Uint32Array(integers?.buffer ?? [])
    for (let from = 0; from < rows; from += size) {
      const to = Math.min(rows, from + size)
      ids[0]?.set(tins.subarray(from, to))
      copyIntegers(npis.subarray(from, to), words)
      yield to - from
    }
  }
}

const noIds = new ReferenceIds()
const seldomRepeated = { minRepetition: 2 }
const unrepeated = { minRepetition: Number.POSITIVE_INFINITY }

/** Copies natural numbers of at most 2^53 by their words: a bigint for each would be an object. */
function copyIntegers(numbers: Float64Array, words: Uint32Array): void {
  for (let index = 0; index < numbers.length; index++) {
    const number = numbers[index] ?? 0
    words[2 * index] = number
    words[2 * index + 1] = number / 2 ** 32
  }
}
