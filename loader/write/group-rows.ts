import { sourceIdColumn } from '../../schema/columns/column.ts'
import type { ColumnsOf } from '../../schema/columns/rates.ts'
import {
  groupTable,
  providerGroupKey,
  readFileName,
  type WarehouseTable,
} from '../../schema/columns/warehouse-tables.ts'
import { NaturalNumbers } from '../collect/distinct/distinct-values.ts'
import { TextList } from '../collect/distinct/text-list.ts'
import { groupField, groupMarks, groupSize, tinField, tinSize } from '../collect/groups/group-fields.ts'
import { GroupKeys } from '../collect/groups/group-keys.ts'
import type { InlineGroups } from '../collect/groups/inline-groups.ts'
import type { NpiRuns } from '../collect/groups/npi-runs.ts'
import { StoredGroups } from '../collect/groups/stored-groups.ts'
import { MemberSort } from './member-sort.ts'
import { DictionaryColumn } from './parquet/dictionary-column.ts'
import { type RowGroup, writeRows } from './parquet/write-rows.ts'
import { pickNumbers } from './pick-numbers.ts'

/** What the groups of references are named by. */
interface NamedGroups {
  /** Their ids. */
  readonly texts: TextList
  /** By group: the number of its id. */
  readonly numbers: Uint32Array
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
   * @param ids of references, by their numbers
   * @param kept the NPIs that a filter keeps; all if absent
   */
  async writeReferences(
    store: StoredGroups,
    ids: TextList,
    npis: NpiRuns,
    kept: ReadonlySet<number> | undefined,
  ): Promise<void> {
    const keys = new GroupKeys(ids, { first: 0, count: 0 })
    const numbers = store.ofGroups(groupField.reference).map((reference) => reference - 1)
    const rows = this.#sort.sort(store, kept)
    this.#noteNpis(store, npis, rows, groupMarks.used)
    if (rows > 0) await this.#writeRows(store, rows, keys, { texts: ids, numbers })
  }

  /** Writes a file without rows. */
  async writeNothing(): Promise<void> {
    await this.#writeRows(new StoredGroups(new TextList()), 0, new GroupKeys(noIds, { first: 0, count: 0 }))
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
    const texts = new DictionaryColumn(store.texts, seldomRepeated)
    const countOf = (field: number) => new DictionaryColumn(new NaturalNumbers(store.ofGroups(field)))
    const networks = store.networkLists.map(({ names }) => names)
    type OfTinOrGroup = Exclude<ColumnsOf<'member' | 'tin' | 'reference'>, 'npi' | 'provider_group_id'>
    const columns: Readonly<Record<OfTinOrGroup, DictionaryColumn>> = {
      tin_type: texts,
      tin_value: texts,
      tin_business_name: texts,
      network_name: DictionaryColumn.of(networks, true),
      provider_group_npi_count: countOf(groupField.npiCount),
      provider_group_tin_count: countOf(groupField.tinCount),
    }
    const ofKey = new Map([
      [
        'provider_group_id',
        named ? new DictionaryColumn(named.texts, seldomRepeated) : DictionaryColumn.of([null], false),
      ],
      [providerGroupKey.name, new DictionaryColumn(keys, named ? seldomRepeated : unrepeated)],
      [sourceIdColumn, DictionaryColumn.of([readFileName(path)?.id ?? null], false)],
    ])
    const records = describeTins(store, named)
    await writeRows(
      {
        path,
        columns: groupTable.columns,
        rows,
        shared: [...Object.entries(columns).map((column) => new Map([column])), ofKey],
        integers: ['npi'],
      },
      (group) => this.#sortedRows(rows, group, records),
    )
  }

  *#sortedRows(rows: number, { ids, integers: [integers], size }: RowGroup, records: Uint32Array): Generator<number> {
    const { npis, tins } = this.#sort
    const words = new Uint32Array(integers?.buffer ?? [])
    for (let from = 0; from < rows; from += size) {
      const to = Math.min(rows, from + size)
      const some = tins.subarray(from, to)
      for (const [place, target] of ids.entries()) pickNumbers(records, recordSize, place, some, target)
      copyIntegers(npis.subarray(from, to), words)
      yield to - from
    }
  }
}

const noIds = new TextList()
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

/** Numbers of a record, one of which is not used: a cache line has two of them. */
const recordSize = 8

/** What a row says of its TIN and group, in one record a TIN: each row has another one, somewhere in memory. */
function describeTins(store: StoredGroups, named: NamedGroups | undefined): Uint32Array {
  const { tins, groups } = store
  const count = tins.length / tinSize
  const records = new Uint32Array(count * recordSize)
  for (let tin = 0; tin < count; tin++) {
    const from = tin * tinSize
    const number = tins.items[from + tinField.group] ?? 0
    const group = number * groupSize
    const to = tin * recordSize
    // In the order of the columns of `#writeRows`.
    records[to] = tins.items[from + tinField.type] ?? 0
    records[to + 1] = tins.items[from + tinField.value] ?? 0
    records[to + 2] = tins.items[from + tinField.name] ?? 0
    records[to + 3] = tins.items[from + tinField.networks] ?? 0
    records[to + 4] = groups.items[group + groupField.npiCount] ?? 0
    records[to + 5] = groups.items[group + groupField.tinCount] ?? 0
    records[to + 6] = named === undefined ? number : (named.numbers[number] ?? 0)
  }
  return records
}
