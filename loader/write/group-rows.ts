import { at, float64At, uint32At } from '../../schema/at.ts'
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
import { groupField, groupSize, groupUses, tinField, tinSize } from '../collect/groups/group-fields.ts'
import { GroupKeys } from '../collect/groups/group-keys.ts'
import type { InlineGroups } from '../collect/groups/inline-groups.ts'
import type { NpiRuns } from '../collect/groups/npi-runs.ts'
import { StoredGroups } from '../collect/groups/stored-groups.ts'
import { MemberSort } from './member-sort.ts'
import { DictionaryColumn } from './parquet/dictionary-column.ts'
import { type RowGroup, writeRows } from './parquet/write-rows.ts'
import { type NumberRecords, pickNumbers } from './pick-numbers.ts'

/** The ids of references and their groups. */
interface ReferenceIds {
  readonly texts: TextList
  /** By group: the number of its id. */
  readonly numbers: Uint32Array
}

/** Writes provider groups as rows of `provider_groups`. */
export class GroupRows {
  /** Number of rows that have been written. */
  count = 0
  readonly #sort = new MemberSort()
  readonly #nextFile: (table: WarehouseTable) => string

  /** @param nextFile returns a local path for the next file of a table */
  constructor(nextFile: (table: WarehouseTable) => string) {
    this.#nextFile = nextFile
  }

  /** Writes the inline groups that prices name, and notes their NPIs. */
  async writeInline(inline: InlineGroups): Promise<void> {
    const { store, npis, first } = inline
    for (const number of inline.undecided)
      if (store.of(number - first, groupField.use) === 0) store.setUse(number - first, groupUses.undecided)
    const rows = this.#sort.sort(store)
    if (rows === 0) return
    if (inline.undecided.length === 0) this.#noteAllNpis(npis, rows)
    else for (const use of [groupUses.used, groupUses.undecided]) this.#noteNpis(store, npis, rows, use)
    await this.#writeRows(store, rows, new GroupKeys(noIds, { first, count: store.count }))
  }

  /**
   * Writes the groups of references that are for something, and notes the NPIs of the used ones.
   *
   * @param ids of references, by their numbers
   * @param filterNpis the NPIs that a filter keeps; all if absent
   */
  async writeReferences(
    store: StoredGroups,
    ids: TextList,
    npis: NpiRuns,
    filterNpis: ReadonlySet<number> | undefined,
  ): Promise<void> {
    const keys = new GroupKeys(ids, { first: 0, count: 0 })
    const numbers = store.ofGroups(groupField.reference).map((reference) => reference - 1)
    const rows = this.#sort.sort(store, filterNpis)
    this.#noteNpis(store, npis, rows, groupUses.used)
    if (rows > 0) await this.#writeRows(store, rows, keys, { texts: ids, numbers })
  }

  /** Writes a file without rows. */
  async writeNothing(): Promise<void> {
    await this.#writeRows(new StoredGroups(new TextList()), 0, new GroupKeys(noIds, { first: 0, count: 0 }))
  }

  #noteAllNpis(npis: NpiRuns, rows: number): void {
    for (let row = 0; row < rows; row++) npis.add(float64At(this.#sort.npis, row))
    npis.endRun(true)
  }

  #noteNpis(store: StoredGroups, npis: NpiRuns, rows: number, use: number): void {
    for (let row = 0; row < rows; row++) {
      const tin = uint32At(this.#sort.tins, row)
      const group = uint32At(store.tins.items, tin * tinSize + tinField.group)
      if (store.of(group, groupField.use) === use) npis.add(float64At(this.#sort.npis, row))
    }
    npis.endRun(use === groupUses.used)
  }

  async #writeRows(store: StoredGroups, rows: number, keys: GroupKeys, ids?: ReferenceIds): Promise<void> {
    this.count += rows
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
    const keyColumns = new Map([
      ['provider_group_id', ids ? new DictionaryColumn(ids.texts, seldomRepeated) : DictionaryColumn.of([null], false)],
      [providerGroupKey.name, new DictionaryColumn(keys, ids ? seldomRepeated : unrepeated)],
      [sourceIdColumn, DictionaryColumn.of([readFileName(path)?.id ?? null], false)],
    ])
    const records = describeTins(store, ids)
    await writeRows(
      {
        path,
        columns: groupTable.columns,
        rows,
        shared: [...Object.entries(columns).map((column) => new Map([column])), keyColumns],
        integers: ['npi'],
      },
      (rowGroup) => this.#fillRows(rows, rowGroup, records),
    )
  }

  *#fillRows(rows: number, { ids, integers, size }: RowGroup, records: NumberRecords): Generator<number> {
    const { npis, tins } = this.#sort
    const words = new Uint32Array(at(integers, 0).buffer)
    for (let from = 0; from < rows; from += size) {
      const to = Math.min(rows, from + size)
      const rowTins = tins.subarray(from, to)
      for (const [place, target] of ids.entries()) pickNumbers(records, place, rowTins, target)
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
    const number = float64At(numbers, index)
    words[2 * index] = number
    words[2 * index + 1] = number / 2 ** 32
  }
}

/** Numbers of a record. One number is unused, so that two records fill a cache line. */
const recordSize = 8

/**
 * Returns one record for each TIN, with the columns of the TIN and of its group. Rows are sorted by NPI, so that their
 * TINs are anywhere in memory, and one record needs one access.
 */
function describeTins(store: StoredGroups, ids: ReferenceIds | undefined): NumberRecords {
  const { tins, groups } = store
  const count = tins.length / tinSize
  const numbers = new Uint32Array(count * recordSize)
  for (let tin = 0; tin < count; tin++) {
    const from = tin * tinSize
    const group = uint32At(tins.items, from + tinField.group)
    const groupFrom = group * groupSize
    const to = tin * recordSize
    // In the order of the columns of `#writeRows`.
    numbers[to] = uint32At(tins.items, from + tinField.type)
    numbers[to + 1] = uint32At(tins.items, from + tinField.value)
    numbers[to + 2] = uint32At(tins.items, from + tinField.name)
    numbers[to + 3] = uint32At(tins.items, from + tinField.networks)
    numbers[to + 4] = uint32At(groups.items, groupFrom + groupField.npiCount)
    numbers[to + 5] = uint32At(groups.items, groupFrom + groupField.tinCount)
    numbers[to + 6] = ids === undefined ? group : uint32At(ids.numbers, group)
  }
  return { numbers, size: recordSize }
}
