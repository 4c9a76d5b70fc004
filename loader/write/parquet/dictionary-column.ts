import { type ColumnValue, indexValues } from '../../columns/column-values.ts'
import type { DistinctValues } from '../../columns/distinct-values.ts'
import { noText } from '../../columns/text-pool.ts'
import { type ColumnChunk, encodeNulls, findRange } from './column-chunk.ts'
import { DataPage } from './data-page.ts'

/**
 * By value: its index in the dictionary of the row group plus `base`, or less if the dictionary does not have it. Columns are
 * encoded one by one, and share it.
 */
let local = new Uint32Array(0)
let base = 1

/** How rows name the values of a column. */
interface DictionaryColumnOptions {
  /** By id: its value, its list, or `noText`. Rows have values in place of ids if absent. */
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
  readonly #longest: number
  /** The levels of the row group, the values that are there, and their indexes in its dictionary. */
  #repetitions = new Uint32Array(0)
  #definitions = new Uint32Array(0)
  #present = new Uint32Array(0)
  #indexes = new Uint32Array(0)
  #dictionary = new Uint32Array(0)

  constructor(distinct: DistinctValues, { ofId, lists, minRepetition = 1 }: DictionaryColumnOptions = {}) {
    this.#distinct = distinct
    this.#ofId = ofId
    this.#lists = lists
    this.#minRepetition = minRepetition
    const isConstant = ofId?.every((value) => value === ofId[0] && (lists === undefined || value === noText))
    this.#constant = isConstant ? (ofId?.[0] ?? noText) : undefined
    this.#longest = lists?.reduce((most, { length }) => Math.max(most, length), 1) ?? 1
  }

  /**
   * @param values by id
   * @param places by id: the place of its value, if values are not by id
   */
  static of(values: readonly ColumnValue[], isList: boolean, places?: Uint32Array): DictionaryColumn {
    const { distinct, ofId, lists } = indexValues(values)
    const ofPlaces = places?.map((place) => ofId[place] ?? noText) ?? ofId
    return new DictionaryColumn(distinct, { ofId: ofPlaces, lists: isList ? lists : undefined })
  }

  encode(ids: Uint32Array, rows: number): ColumnChunk {
    if (this.#constant === noText) return encodeNulls(rows, this.#lists !== undefined)
    this.#makeRoom(rows * this.#longest)
    return this.#lists === undefined ? this.#encodeFlat(ids, rows) : this.#encodeLists(this.#lists, ids, rows)
  }

  #encodeFlat(ids: Uint32Array, rows: number): ColumnChunk {
    const page = new DataPage(rows)
    const isConstant = this.#constant !== undefined
    const present = isConstant ? rows : findPresent(this.#ofId, ids, rows, this.#present, this.#definitions)
    if (present === rows) page.addLevel(1, rows)
    else page.addLevels(this.#definitions, rows, 1)
    return { ...this.#addValues(page, present), values: rows, nulls: rows - present }
  }

  #encodeLists(lists: readonly Uint32Array[], ids: Uint32Array, rows: number): ColumnChunk {
    const [repetitions, definitions] = [this.#repetitions, this.#definitions]
    let values = 0
    let present = 0
    for (let row = 0; row < rows; row++) {
      const list = lists[this.#ofId?.[ids[row] ?? 0] ?? noText]
      repetitions[values] = 0
      definitions[values++] = list === undefined ? 0 : maxDefinition
      if (list === undefined) continue
      for (let element = 0; element < list.length; element++) {
        if (element > 0) {
          repetitions[values] = 1
          definitions[values++] = maxDefinition
        }
        this.#present[present++] = list[element] ?? 0
      }
    }
    const page = new DataPage(values)
    page.addLevels(repetitions, values, 1)
    page.addLevels(definitions, values, maxDefinition)
    return { ...this.#addValues(page, present), values, nulls: values - present }
  }

  /** Adds the first of `#present` to a page, or as many times the constant. */
  #addValues(page: DataPage, present: number): Pick<ColumnChunk, 'dictionary' | 'page' | 'range'> {
    // Without a value there is neither a dictionary nor a width.
    if (present === 0) return { page: page.bytes }
    const isConstant = this.#constant !== undefined
    const mayRepeat = this.#minRepetition < Number.POSITIVE_INFINITY
    const distinct = isConstant ? 1 : mayRepeat ? this.#findDistinct(present) : present
    const isRepeated = isConstant || this.#minRepetition * distinct <= present
    const [values, count] = isRepeated ? [this.#dictionary, distinct] : [this.#present, present]
    const range = this.#lists === undefined ? findRange(this.#distinct, values, count) : {}
    if (!isRepeated) {
      page.addValues(this.#distinct.encode(this.#present, present))
      return { page: page.bytes, ...range }
    }
    if (isConstant) page.addFirst(present)
    else page.addIndexes(this.#indexes, present, distinct)
    const dictionary = { bytes: this.#distinct.encode(this.#dictionary, distinct), values: distinct }
    return { page: page.bytes, dictionary, ...range }
  }

  /** Finds the dictionary of the values that are there, and their indexes in it, until it is too large. @returns its size */
  #findDistinct(count: number): number {
    if (local.length < this.#distinct.count) local = new Uint32Array(this.#distinct.count)
    if (base + count > maxLocal) {
      local.fill(0)
      base = 1
    }
    const most = count / this.#minRepetition
    const size = findDistinct(this.#present, count, local, base, most, this.#indexes, this.#dictionary)
    base += size
    return size
  }

  #makeRoom(values: number): void {
    if (this.#present.length < values) {
      this.#repetitions = new Uint32Array(values)
      this.#definitions = new Uint32Array(values)
      this.#present = new Uint32Array(values)
      this.#indexes = new Uint32Array(values)
      this.#dictionary = new Uint32Array(values)
      this.#dictionary[0] = this.#constant ?? 0
    }
  }
}

/** The definition level of an element: its list is there, has elements, and the element is there. */
const maxDefinition = 3

/**
 * Finds the values that are there, and the definition level of each row. Loops over rows are functions that do little else:
 * the engine compiles a function within its loop, and would throw the code away at the end of the loop if more came after it.
 *
 * @returns how many are there
 */
function findPresent(
  ofId: Uint32Array | undefined,
  ids: Uint32Array,
  rows: number,
  present: Uint32Array,
  definitions: Uint32Array,
): number {
  let count = 0
  for (let row = 0; row < rows; row++) {
    const id = ids[row] ?? 0
    const value = ofId === undefined ? id : (ofId[id] ?? noText)
    definitions[row] = value === noText ? 0 : 1
    if (value !== noText) present[count++] = value
  }
  return count
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
