import { type ColumnValue, indexValues } from '../../columns/column-values.ts'
import type { DistinctValues } from '../../columns/distinct-values.ts'
import { noText } from '../../columns/text-pool.ts'
import { type ColumnChunk, encodeNulls, findRange } from './column-chunk.ts'
import { DataPage } from './data-page.ts'

/** Arrays for the values of one row group. Columns are encoded one by one, and share them. */
let [values, repetitions, definitions, indexes, dictionary] = makeRoom(0)

function makeRoom(count: number) {
  const array = () => new Uint32Array(count)
  return [array(), array(), array(), array(), array()] as const
}

/** By value: its index in the dictionary of the row group plus `base`, or less if the dictionary does not have it. */
let local = new Uint32Array(0)
let base = 1

/** How rows name the values of a column. */
interface DictionaryColumnOptions {
  /** By id: its value, its list, or `noText`. Rows have values, or `noText`, in place of ids if absent. */
  readonly ofId?: Uint32Array
  /** The values of each list, one or more; undefined if the column has no lists. */
  readonly lists?: readonly Uint32Array[] | undefined
  /** How often values must repeat in a row group that has a dictionary; any other has them as they are. Infinity: none has. */
  readonly minRepetition?: number
}

/**
 * Encodes a column whose values rows share: for each row group a dictionary of those that it has, and an index for each row.
 * Readers use dictionaries to skip row groups.
 */
export class DictionaryColumn {
  readonly #distinct: DistinctValues
  readonly #ofId: Uint32Array | undefined
  readonly #lists: readonly Uint32Array[] | undefined
  readonly #minRepetition: number
  /** The same value of all ids, none of which has a list. */
  readonly #constant: number | undefined

  constructor(distinct: DistinctValues, { ofId, lists, minRepetition = 1 }: DictionaryColumnOptions = {}) {
    this.#distinct = distinct
    this.#ofId = ofId
    this.#lists = lists
    this.#minRepetition = minRepetition
    const isConstant = ofId?.every((value) => value === ofId[0] && (lists === undefined || value === noText))
    this.#constant = isConstant ? (ofId?.[0] ?? noText) : undefined
  }

  /** @param ofIds by id: its value */
  static of(ofIds: readonly ColumnValue[], isList: boolean): DictionaryColumn {
    const { distinct, ofId, lists } = indexValues(ofIds)
    return new DictionaryColumn(distinct, { ofId, lists: isList ? lists : undefined })
  }

  encode(ids: Uint32Array, rows: number): ColumnChunk {
    if (this.#constant === noText) return encodeNulls(rows, this.#lists !== undefined)
    if (this.#lists !== undefined) return this.#encodeLists(this.#lists, ids, rows)
    const page = new DataPage(rows)
    if (values.length < rows) [values, repetitions, definitions, indexes, dictionary] = makeRoom(rows)
    if (this.#constant !== undefined) {
      page.addLevel(1, rows)
      page.addFirst(rows)
      dictionary[0] = this.#constant
      return { ...this.#addDictionary(1), page: page.bytes, values: rows, nulls: 0 }
    }
    const all = this.#ofId === undefined ? ids : findValues(this.#ofId, ids, rows, values)
    const nulls = countNulls(all, rows)
    if (nulls === rows) return encodeNulls(rows, false)
    if (nulls === 0) page.addLevel(1, rows)
    else {
      dropNulls(all, rows, values, definitions)
      page.addLevels(definitions, rows, 1)
    }
    return { ...this.#addValues(page, nulls === 0 ? all : values, rows - nulls), values: rows, nulls }
  }

  #encodeLists(lists: readonly Uint32Array[], ids: Uint32Array, rows: number): ColumnChunk {
    let most = 0
    for (let row = 0; row < rows; row++) most += lists[this.#ofId?.[ids[row] ?? 0] ?? noText]?.length ?? 1
    if (values.length < most) [values, repetitions, definitions, indexes, dictionary] = makeRoom(most)
    let levels = 0
    let present = 0
    for (let row = 0; row < rows; row++) {
      const list = lists[this.#ofId?.[ids[row] ?? 0] ?? noText]
      repetitions[levels] = 0
      definitions[levels++] = list === undefined ? 0 : maxDefinition
      if (list === undefined) continue
      for (let element = 0; element < list.length; element++) {
        if (element > 0) {
          repetitions[levels] = 1
          definitions[levels++] = maxDefinition
        }
        values[present++] = list[element] ?? 0
      }
    }
    const page = new DataPage(levels)
    page.addLevels(repetitions, levels, 1)
    page.addLevels(definitions, levels, maxDefinition)
    return { ...this.#addValues(page, values, present), values: levels, nulls: levels - present }
  }

  /** Adds the values that are there to a page. */
  #addValues(page: DataPage, present: Uint32Array, count: number): Pick<ColumnChunk, 'dictionary' | 'page' | 'range'> {
    // Without a value there is neither a dictionary nor a width.
    if (count === 0) return { page: page.bytes }
    const mayRepeat = this.#minRepetition < Number.POSITIVE_INFINITY
    const distinct = mayRepeat ? this.#findDistinct(present, count) : count
    if (this.#minRepetition * distinct > count) {
      page.addValues(this.#distinct.encode(present, count))
      return { page: page.bytes, ...this.#findRange(present, count) }
    }
    page.addIndexes(indexes, count, distinct)
    return { page: page.bytes, ...this.#addDictionary(distinct) }
  }

  /** The first values of `dictionary`, and their range. */
  #addDictionary(count: number): Pick<ColumnChunk, 'dictionary' | 'range'> {
    const bytes = this.#distinct.encode(dictionary, count)
    return { dictionary: { bytes, values: count }, ...this.#findRange(dictionary, count) }
  }

  #findRange(present: Uint32Array, count: number): Pick<ColumnChunk, 'range'> {
    return this.#lists === undefined ? findRange(this.#distinct, present, count) : {}
  }

  /** Finds the dictionary of values, and their indexes in it, until it is too large. @returns its size */
  #findDistinct(present: Uint32Array, count: number): number {
    if (local.length < this.#distinct.count) local = new Uint32Array(this.#distinct.count)
    if (base + count > maxLocal) {
      local.fill(0)
      base = 1
    }
    const size = findDistinct(present, count, local, base, count / this.#minRepetition, indexes, dictionary)
    base += size
    return size
  }
}

/** The definition level of an element: its list is there, has elements, and the element is there. */
const maxDefinition = 3

// Loops over rows are functions that do little else: the engine compiles a function within its loop, and would throw the
// code away at the end of the loop if more came after it.

function findValues(ofId: Uint32Array, ids: Uint32Array, rows: number, target: Uint32Array): Uint32Array {
  for (let row = 0; row < rows; row++) target[row] = ofId[ids[row] ?? 0] ?? noText
  return target
}

function countNulls(all: Uint32Array, rows: number): number {
  let nulls = 0
  for (let row = 0; row < rows; row++) if (all[row] === noText) nulls++
  return nulls
}

/** Keeps the values that are there, and finds the definition level of each row; both arrays may be the same. */
function dropNulls(all: Uint32Array, rows: number, present: Uint32Array, levels: Uint32Array): void {
  let count = 0
  for (let row = 0; row < rows; row++) {
    const value = all[row] ?? noText
    levels[row] = value === noText ? 0 : 1
    if (value !== noText) present[count++] = value
  }
}

/** The engine holds larger numbers as floats, which are slower. */
const maxLocal = 0x3f_ff_ff_ff

function findDistinct(
  present: Uint32Array,
  count: number,
  local: Uint32Array,
  base: number,
  most: number,
  indexes: Uint32Array,
  dictionary: Uint32Array,
): number {
  let size = 0
  for (let at = 0; at < count && size <= most; at++) {
    const value = present[at] ?? 0
    const known = local[value] ?? 0
    indexes[at] = known >= base ? known - base : size
    if (known >= base) continue
    local[value] = base + size
    dictionary[size++] = value
  }
  return size
}
