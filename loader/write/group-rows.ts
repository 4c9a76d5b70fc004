import { sourceIdColumn } from '../../schema/columns/column.ts'
import type { ColumnsOf } from '../../schema/columns/rates.ts'
import {
  providerGroupKey,
  readFileName,
  sourceTables,
  type WarehouseTable,
} from '../../schema/columns/warehouse-tables.ts'
import { Integers } from '../columns/column-values.ts'
import { groupField, groupMarks, tinField, tinSize } from '../columns/groups/group-fields.ts'
import { escapeKey, inlineKeys } from '../columns/groups/group-keys.ts'
import type { InlineGroups } from '../columns/groups/inline-groups.ts'
import type { NpiRuns } from '../columns/groups/npi-runs.ts'
import type { ReferenceIds } from '../columns/groups/reference-ids.ts'
import { StoredGroups } from '../columns/groups/stored-groups.ts'
import { noText } from '../columns/text-pool.ts'
import { MemberSort } from './member-sort.ts'
import { type ColumnChunk, encodeIntegers, encodeNulls, encodePlain } from './parquet/column-chunk.ts'
import { DictionaryColumn } from './parquet/dictionary-column.ts'
import { ParquetFile } from './parquet/parquet-file.ts'
import { rowGroupSize } from './parquet/row-group-size.ts'

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
    const table = sourceTables.find(({ name }) => name === 'provider_groups')
    if (table === undefined) throw new TypeError('a table is missing')
    const { columns } = table
    const size = rowGroupSize(rows)
    const texts = new DictionaryColumn(store.texts, { minRepetition: 2 })
    const counts = new Integers()
    const countColumn = new DictionaryColumn(counts)
    const group = new RowGroup(size)
    const networks = DictionaryColumn.of(
      store.networkLists.map(({ names }) => names),
      true,
    )
    const ofColumn: Readonly<Record<ColumnsOf<'member' | 'tin' | 'reference'>, () => ColumnChunk>> = {
      npi: () => encodeIntegers(toIntegers(group.npis), group.rows),
      tin_type: () => texts.encode(group.types, group.rows),
      tin_value: () => texts.encode(group.values, group.rows),
      tin_business_name: () => texts.encode(group.names, group.rows),
      network_name: () => networks.encode(group.networks, group.rows),
      provider_group_id: () =>
        typeof names === 'number' ? encodeNulls(group.rows, false) : texts.encode(group.ids, group.rows),
      provider_group_npi_count: () => countColumn.encode(counts.addAll(group.npiCounts, group.rows), group.rows),
    }
    const encoders = new Map<string, () => ColumnChunk>(Object.entries(ofColumn))
    encoders.set(providerGroupKey.name, () =>
      typeof names === 'number'
        ? encodePlain(inlineKeys, group.keys, group.rows)
        : texts.encode(group.keys, group.rows),
    )
    const path = this.#nextFile(table)
    const source = DictionaryColumn.of([readFileName(path)?.id ?? null], false)
    encoders.set(sourceIdColumn, () => source.encode(new Uint32Array(group.rows), group.rows))
    await using file = await ParquetFile.create(path, columns)
    for (let from = 0; from < rows; from += size) {
      group.fill(store, names, this.#sort, from, Math.min(size, rows - from))
      await file.addRowGroup(
        group.rows,
        columns.map(({ name }) => encoders.get(name)?.() ?? encodeNulls(group.rows, false)),
      )
    }
    await file.finish()
  }
}

/** Natural numbers of at most 2^53, by their words: a bigint for each would be an object. */
function toIntegers(numbers: Float64Array): BigInt64Array {
  const words = new Uint32Array(2 * numbers.length)
  for (let index = 0; index < numbers.length; index++) {
    const number = numbers[index] ?? 0
    words[2 * index] = number
    words[2 * index + 1] = number / 2 ** 32
  }
  return new BigInt64Array(words.buffer)
}

/** The columns of a row group. */
class RowGroup {
  rows = 0
  npis = new Float64Array(0)
  /** Numbers of inline groups, or texts. */
  readonly keys: Uint32Array
  readonly ids: Uint32Array
  readonly npiCounts: Uint32Array
  readonly types: Uint32Array
  readonly values: Uint32Array
  readonly names: Uint32Array
  readonly networks: Uint32Array

  constructor(size: number) {
    this.keys = new Uint32Array(size)
    this.ids = new Uint32Array(size)
    this.npiCounts = new Uint32Array(size)
    this.types = new Uint32Array(size)
    this.values = new Uint32Array(size)
    this.names = new Uint32Array(size)
    this.networks = new Uint32Array(size)
  }

  fill(store: StoredGroups, names: GroupNames, sort: MemberSort, from: number, rows: number): void {
    const tins = store.tins.items
    const { ids, keys } = typeof names === 'number' ? { ids: undefined, keys: undefined } : names
    const first = typeof names === 'number' ? names : 0
    this.rows = rows
    this.npis = sort.npis.subarray(from, from + rows)
    for (let row = 0; row < rows; row++) {
      const tin = (sort.tins[from + row] ?? 0) * tinSize
      const group = tins[tin + tinField.group] ?? 0
      this.keys[row] = keys === undefined ? first + group : (keys[group] ?? 0)
      this.ids[row] = ids?.[group] ?? noText
      this.npiCounts[row] = store.of(group, groupField.npiCount)
      this.types[row] = tins[tin + tinField.type] ?? 0
      this.values[row] = tins[tin + tinField.value] ?? 0
      this.names[row] = tins[tin + tinField.name] ?? 0
      this.networks[row] = tins[tin + tinField.networks] ?? 0
    }
  }
}
