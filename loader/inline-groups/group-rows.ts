import type { ColumnsOf } from '../../schema/columns/rates.ts'
import type { WarehouseTable } from '../../schema/columns/warehouse-tables.ts'
import { providerGroupKey, sourceTables } from '../../schema/columns/warehouse-tables.ts'
import type { EncodedColumn } from '../parquet/encode-column.ts'
import { encodeNulls } from '../parquet/encode-column.ts'
import { encodeAscending, encodeCounts, PooledTexts } from '../parquet/encode-values.ts'
import { encodeMarkedNumbers } from '../parquet/marked-numbers.ts'
import { ParquetFile } from '../parquet/parquet-file.ts'
import { inlineMark } from '../staging/group-tables.ts'
import { rowGroupSize } from '../warehouse/row-group-size.ts'
import type { GroupStore } from './group-store.ts'
import type { InlineGroups } from './inline-groups.ts'
import { MemberSort } from './member-sort.ts'

const used = 1
const undecided = 2

/** Writes inline groups as rows of `provider_groups`. */
export class GroupRows {
  readonly #sort = new MemberSort()

  /** Writes the groups that prices name, and notes their NPIs. */
  async write(inline: InlineGroups, nextFile: (table: WarehouseTable) => string): Promise<void> {
    const { store } = inline
    const marks = store.marks.items
    for (const number of inline.undecided)
      if (marks[number - inline.first] !== used) marks[number - inline.first] = undecided
    const rows = this.#sort.sort(store)
    if (rows === 0) return
    if (inline.undecided.length === 0) this.#noteAllNpis(inline, rows)
    else for (const mark of [used, undecided]) this.#noteNpis(inline, rows, mark)
    const table = sourceTables.find(({ name }) => name === 'provider_groups')
    if (table === undefined) throw new TypeError('a table is missing')
    await this.#writeRows(inline, rows, table, nextFile(table))
  }

  #noteAllNpis({ npis }: InlineGroups, rows: number): void {
    for (let row = 0; row < rows; row++) npis.add(this.#sort.npis[row] ?? 0)
    npis.endRun(true)
  }

  #noteNpis({ npis, store }: InlineGroups, rows: number, mark: number): void {
    const groups = store.groups.items
    const marks = store.marks.items
    for (let row = 0; row < rows; row++)
      if (marks[groups[this.#sort.tins[row] ?? 0] ?? 0] === mark) npis.add(this.#sort.npis[row] ?? 0)
    npis.endRun(mark === used)
  }

  async #writeRows(
    { first, store }: InlineGroups,
    rows: number,
    { columns }: WarehouseTable,
    path: string,
  ): Promise<void> {
    const size = rowGroupSize(rows)
    const texts = new PooledTexts(store.texts)
    const group = new RowGroup(size)
    const ofColumn: Readonly<Record<ColumnsOf<'member' | 'tin' | 'reference'>, () => EncodedColumn>> = {
      npi: () => encodeAscending(group.npis, group.rows),
      tin_type: () => texts.encode(group.types, group.rows),
      tin_value: () => texts.encode(group.values, group.rows),
      tin_business_name: () => texts.encode(group.names, group.rows),
      network_name: () => encodeNulls(group.rows, true),
      provider_group_id: () => encodeNulls(group.rows, false),
      provider_group_npi_count: () => encodeCounts(group.npiCounts, group.rows),
    }
    const encoders = new Map<string, () => EncodedColumn>(Object.entries(ofColumn))
    encoders.set(providerGroupKey.name, () => encodeMarkedNumbers(inlineMark, group.numbers, group.rows))
    await using file = await ParquetFile.create(path, columns)
    for (let from = 0; from < rows; from += size) {
      group.fill(store, first, this.#sort, from, Math.min(size, rows - from))
      await file.addRowGroup(
        group.rows,
        columns.map(({ name }) => encoders.get(name)?.() ?? encodeNulls(group.rows, false)),
      )
    }
    await file.finish()
  }
}

/** The columns of a row group. */
class RowGroup {
  rows = 0
  npis = new Float64Array(0)
  readonly numbers: Uint32Array
  readonly npiCounts: Uint32Array
  readonly types: Uint32Array
  readonly values: Uint32Array
  readonly names: Uint32Array

  constructor(size: number) {
    this.numbers = new Uint32Array(size)
    this.npiCounts = new Uint32Array(size)
    this.types = new Uint32Array(size)
    this.values = new Uint32Array(size)
    this.names = new Uint32Array(size)
  }

  /** @param first number of the store's first group */
  fill(store: GroupStore, first: number, sort: MemberSort, from: number, rows: number): void {
    this.rows = rows
    this.npis = sort.npis.subarray(from, from + rows)
    for (let row = 0; row < rows; row++) {
      const tin = sort.tins[from + row] ?? 0
      const group = store.groups.items[tin] ?? 0
      this.numbers[row] = first + group
      this.npiCounts[row] = store.npiCounts.items[group] ?? 0
      this.types[row] = store.types.items[tin] ?? 0
      this.values[row] = store.values.items[tin] ?? 0
      this.names[row] = store.names.items[tin] ?? 0
    }
  }
}
