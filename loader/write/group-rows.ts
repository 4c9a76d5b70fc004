import { sourceIdColumn } from '../../schema/columns/column.ts'
import type { ColumnsOf } from '../../schema/columns/rates.ts'
import {
  groupTable,
  providerGroupKey,
  readFileName,
  type WarehouseTable,
} from '../../schema/columns/warehouse-tables.ts'
import { groupField, groupMarks, tinField, tinSize } from '../columns/groups/group-fields.ts'
import { escapeKey, GroupKeys } from '../columns/groups/group-keys.ts'
import type { InlineGroups } from '../columns/groups/inline-groups.ts'
import type { NpiRuns } from '../columns/groups/npi-runs.ts'
import { ReferenceIds } from '../columns/groups/reference-ids.ts'
import { StoredGroups } from '../columns/groups/stored-groups.ts'
import { noText } from '../columns/text-pool.ts'
import { MemberSort } from './member-sort.ts'
import { DictionaryColumn } from './parquet/dictionary-column.ts'
import { type RowGroup, writeRows } from './parquet/write-rows.ts'

/** The number of the first of inline groups, or the texts of the store that are the ids and keys of references' groups. */
type GroupNames = number | { readonly ids: Uint32Array; readonly keys: Uint32Array }

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
    await this.#writeRows(store, rows, first)
  }

  /**
   * Writes the marked groups of references, and notes the NPIs of those that are used.
   *
   * @param kept the NPIs that a filter keeps; all if absent
   */
  async writeReferences(
    store: StoredGroups,
    { texts }: ReferenceIds,
    npis: NpiRuns,
    kept: ReadonlySet<number> | undefined,
  ): Promise<void> {
    const order = Uint32Array.from({ length: store.count }, (_, group) => group)
    const ofGroups = Array.from(order, (group) => texts.at(store.of(group, groupField.reference) - 1))
    const ids = Uint32Array.from(ofGroups, (id) => store.texts.add(id))
    const keys = Uint32Array.from(ofGroups, (id) => store.texts.add(escapeKey(id)))
    order.sort((one, other) => store.texts.compare(keys[one] ?? 0, keys[other] ?? 0))
    const rows = this.#sort.sort(store, order, kept)
    this.#noteNpis(store, npis, rows, groupMarks.used)
    if (rows > 0) await this.#writeRows(store, rows, { ids, keys })
  }

  /** Writes a file without rows. */
  async writeNothing(): Promise<void> {
    await this.#writeRows(new StoredGroups(), 0, 0)
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

  async #writeRows(store: StoredGroups, rows: number, names: GroupNames): Promise<void> {
    const path = this.#nextFile(groupTable)
    const { texts, networkLists } = store
    const groups = store.ofTins(tinField.group)
    const ofTexts = (ofId: Uint32Array) => new DictionaryColumn(texts, { ofId, minRepetition: 2 })
    const countOf = (field: number) =>
      DictionaryColumn.of(
        Array.from({ length: store.count }, (_, group) => store.of(group, field)),
        false,
        groups,
      )
    const ofGroups = (numbers: Uint32Array) => ofTexts(groups.map((group) => numbers[group] ?? noText))
    const networks = networkLists.map(({ names: ofList }) => ofList)
    const isInline = typeof names === 'number'
    const ofTins: Readonly<Record<Exclude<ColumnsOf<'member' | 'tin' | 'reference'>, 'npi'>, DictionaryColumn>> = {
      tin_type: ofTexts(store.ofTins(tinField.type)),
      tin_value: ofTexts(store.ofTins(tinField.value)),
      tin_business_name: ofTexts(store.ofTins(tinField.name)),
      network_name: DictionaryColumn.of(networks, true, store.ofTins(tinField.networks)),
      provider_group_id: isInline ? DictionaryColumn.of([null], false) : ofGroups(names.ids),
      provider_group_npi_count: countOf(groupField.npiCount),
      provider_group_tin_count: countOf(groupField.tinCount),
    }
    const keys = isInline
      ? new DictionaryColumn(new GroupKeys(noIds, { first: names, count: store.count }), {
          ofId: groups,
          ...unrepeated,
        })
      : ofGroups(names.keys)
    const values = new Map([
      ...Object.entries(ofTins),
      [providerGroupKey.name, keys],
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
const unrepeated = { minRepetition: Number.POSITIVE_INFINITY }

/** Copies natural numbers of at most 2^53 by their words: a bigint for each would be an object. */
function copyIntegers(numbers: Float64Array, words: Uint32Array): void {
  for (let index = 0; index < numbers.length; index++) {
    const number = numbers[index] ?? 0
    words[2 * index] = number
    words[2 * index + 1] = number / 2 ** 32
  }
}
