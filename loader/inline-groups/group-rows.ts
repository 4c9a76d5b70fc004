import type { ColumnsOf } from '../../schema/columns/rates.ts'
import { providerGroupKey, sourceTables, type WarehouseTable } from '../../schema/columns/warehouse-tables.ts'
import { inlineMark } from '../columns/group-keys.ts'
import { ColumnValues } from '../parquet/column-values.ts'
import { type EncodedColumn, encodeNulls, RepeatedColumn } from '../parquet/encode-column.ts'
import { encodeAscending, encodeCounts, PooledTexts } from '../parquet/encode-values.ts'
import { encodeMarkedNumbers } from '../parquet/marked-numbers.ts'
import { ParquetFile } from '../parquet/parquet-file.ts'
import { rowGroupSize } from '../warehouse/row-group-size.ts'
import { GroupStore } from './group-store.ts'
import type { InlineGroups } from './inline-groups.ts'
import { MemberSort } from './member-sort.ts'
import type { NpiRuns } from './npi-runs.ts'

/** The marks of groups that are written; those of others are 0. */
export const groupMarks = { used: 1, undecided: 2, unused: 3 } as const

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
    const { store, npis } = inline
    const marks = store.marks.items
    for (const number of inline.undecided)
      if (marks[number - inline.first] !== groupMarks.used) marks[number - inline.first] = groupMarks.undecided
    const rows = this.#sort.sort(store)
    if (rows === 0) return
    if (inline.undecided.length === 0) this.#noteAllNpis(npis, rows)
    else for (const mark of [groupMarks.used, groupMarks.undecided]) this.#noteNpis(store, npis, rows, mark)
    await this.#writeRows(store, rows, inline.first)
  }

  /**
   * Writes the marked groups of references, and notes the NPIs of those that are used.
   *
   * @param kept the NPIs that a filter keeps; all if absent
   */
  async writeReferences(store: GroupStore, npis: NpiRuns, kept: ReadonlySet<number> | undefined): Promise<void> {
    const order = Uint32Array.from({ length: store.count }, (_, group) => group)
    const keys = store.keys.items
    order.sort((one, other) => store.texts.compare(keys[one] ?? 0, keys[other] ?? 0))
    const rows = this.#sort.sort(store, order, kept)
    this.#noteNpis(store, npis, rows, groupMarks.used)
    if (rows > 0) await this.#writeRows(store, rows, undefined)
  }

  /** Writes a file without rows. */
  async writeNothing(): Promise<void> {
    await this.#writeRows(new GroupStore(), 0, 0)
  }

  #noteAllNpis(npis: NpiRuns, rows: number): void {
    for (let row = 0; row < rows; row++) npis.add(this.#sort.npis[row] ?? 0)
    npis.endRun(true)
  }

  #noteNpis(store: GroupStore, npis: NpiRuns, rows: number, mark: number): void {
    const groups = store.groups.items
    const marks = store.marks.items
    for (let row = 0; row < rows; row++)
      if (marks[groups[this.#sort.tins[row] ?? 0] ?? 0] === mark) npis.add(this.#sort.npis[row] ?? 0)
    npis.endRun(mark === groupMarks.used)
  }

  /** @param firstInline number of the store's first group, if its groups are inline */
  async #writeRows(store: GroupStore, rows: number, firstInline: number | undefined): Promise<void> {
    const table = sourceTables.find(({ name }) => name === 'provider_groups')
    if (table === undefined) throw new TypeError('a table is missing')
    const { columns } = table
    const size = rowGroupSize(rows)
    const texts = new PooledTexts(store.texts)
    const group = new RowGroup(size)
    const networks = new RepeatedColumn(
      new ColumnValues(
        store.networkLists.map(({ names }) => names),
        true,
      ),
    )
    const ofColumn: Readonly<Record<ColumnsOf<'member' | 'tin' | 'reference'>, () => EncodedColumn>> = {
      npi: () => encodeAscending(group.npis, group.rows),
      tin_type: () => texts.encode(group.types, group.rows),
      tin_value: () => texts.encode(group.values, group.rows),
      tin_business_name: () => texts.encode(group.names, group.rows),
      network_name: () => networks.encode(group.networks, group.rows),
      provider_group_id: () => texts.encode(group.ids, group.rows),
      provider_group_npi_count: () => encodeCounts(group.npiCounts, group.rows),
    }
    const encoders = new Map<string, () => EncodedColumn>(Object.entries(ofColumn))
    encoders.set(providerGroupKey.name, () =>
      firstInline === undefined
        ? texts.encode(group.keys, group.rows)
        : encodeMarkedNumbers(inlineMark, group.keys, group.rows),
    )
    await using file = await ParquetFile.create(this.#nextFile(table), columns)
    for (let from = 0; from < rows; from += size) {
      group.fill(store, firstInline, this.#sort, from, Math.min(size, rows - from))
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

  fill(store: GroupStore, firstInline: number | undefined, sort: MemberSort, from: number, rows: number): void {
    this.rows = rows
    this.npis = sort.npis.subarray(from, from + rows)
    for (let row = 0; row < rows; row++) {
      const tin = sort.tins[from + row] ?? 0
      const group = store.groups.items[tin] ?? 0
      this.keys[row] = firstInline === undefined ? (store.keys.items[group] ?? 0) : firstInline + group
      this.ids[row] = store.ids.items[group] ?? 0
      this.npiCounts[row] = store.npiCounts.items[group] ?? 0
      this.types[row] = store.types.items[tin] ?? 0
      this.values[row] = store.values.items[tin] ?? 0
      this.names[row] = store.names.items[tin] ?? 0
      this.networks[row] = store.networks.items[tin] ?? 0
    }
  }
}
