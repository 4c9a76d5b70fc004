import { at, uint32At } from '../../../schema/at.ts'
import { type ColumnValue, indexValues } from '../../collect/column-values.ts'
import type { DistinctValues } from '../../collect/distinct/distinct-values.ts'
import { noText } from '../../collect/distinct/text-list.ts'
import { type ColumnChunk, encodeNulls, findRange } from './column-chunk.ts'
import { DataPage } from './data-page.ts'
import { findDistinct } from './find-distinct.ts'
import { ListColumn } from './list-column.ts'

/** Arrays for the values of one row group. Columns are encoded one by one, and share them. */
let room = createRoom(0)

function createRoom(size: number) {
  const array = () => new Uint32Array(size)
  return { values: array(), dictionary: array(), indexes: array(), definitions: array() }
}

function makeRoom(size: number): typeof room {
  if (room.values.length < size) room = createRoom(size)
  return room
}

/** Options for the way in which rows name the values of a column. */
interface DictionaryColumnOptions {
  /** By id: its value, its list, or `noText`. Without it, rows have values or `noText` instead of ids. */
  readonly ofId?: Uint32Array
  /** The values of each list, one or more; undefined if the column has no lists. */
  readonly lists?: readonly Uint32Array[] | undefined
  /**
   * Minimum average repetition of a value in a row group that has a dictionary. Other row groups have plain values;
   * with Infinity, all have.
   */
  readonly minRepetition?: number
}

/**
 * Encodes a column whose values rows share: for each row group a dictionary of its values, and an index for each row.
 * Readers use dictionaries to skip row groups.
 */
export class DictionaryColumn {
  readonly #distinct: DistinctValues
  readonly #ofId: Uint32Array | undefined
  readonly #lists: readonly Uint32Array[] | undefined
  readonly #minRepetition: number
  /** The value of all ids, if it is the same and no list. */
  readonly #constant: number | undefined
  /** True if rows may have no value. */
  readonly #mayLack: boolean

  constructor(distinct: DistinctValues, { ofId, lists, minRepetition = 1 }: DictionaryColumnOptions = {}) {
    this.#distinct = distinct
    // A row without a list gets an empty one.
    this.#ofId = lists === undefined ? ofId : ofId?.map((list) => Math.min(list, lists.length))
    this.#lists = lists
    this.#minRepetition = minRepetition
    this.#mayLack = ofId?.includes(noText) ?? true
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
    const { values, definitions, dictionary } = makeRoom(rows)
    if (this.#constant !== undefined) {
      page.addLevel(1, rows)
      page.addFirst(rows)
      dictionary[0] = this.#constant
      return { ...this.#addDictionary(1), page: page.bytes, values: rows, nulls: 0 }
    }
    const all = this.#ofId === undefined ? ids : findValues(this.#ofId, ids, rows, values)
    const nulls = this.#mayLack ? countNulls(all, rows) : 0
    if (nulls === rows) return encodeNulls(rows, false)
    if (nulls === 0) page.addLevel(1, rows)
    else {
      dropNulls(all, rows, values, definitions)
      page.addLevels(definitions, rows, 1)
    }
    return { ...this.#addValues(page, nulls === 0 ? all : values, rows - nulls), values: rows, nulls }
  }

  #encodeLists(lists: readonly Uint32Array[], ids: Uint32Array, rows: number): ColumnChunk {
    const { values: listOf, dictionary: distinctLists } = makeRoom(rows)
    findValues(this.#ofId ?? ids, ids, rows, listOf)
    const count = findDistinct(listOf, rows, { domain: lists.length + 1 }, { distinct: distinctLists, places: listOf })
    const column = new ListColumn(this.#distinct)
    for (const number of distinctLists.subarray(0, count)) {
      // The number of a row without a list is behind the lists.
      const list = number === lists.length ? noList : at(lists, number)
      column.add(list, 0, list.length)
    }
    return column.encode(listOf, rows)
  }

  /** Adds values to a page. */
  #addValues(page: DataPage, present: Uint32Array, count: number): Pick<ColumnChunk, 'dictionary' | 'page' | 'range'> {
    // Without a value there is neither a dictionary nor a width.
    if (count === 0) return { page: page.bytes }
    const { dictionary, indexes } = room
    const most = count / this.#minRepetition
    const distinct =
      most > 0
        ? findDistinct(
            present,
            count,
            { domain: this.#distinct.count, most },
            { distinct: dictionary, places: indexes },
          )
        : count
    if (distinct > most) {
      page.addValues(this.#distinct.encode(present, count))
      return { page: page.bytes, ...findRange(this.#distinct, present, count) }
    }
    page.addIndexes(indexes, count, distinct)
    return { page: page.bytes, ...this.#addDictionary(distinct) }
  }

  /** The first values of the dictionary, and their range. */
  #addDictionary(count: number): Pick<ColumnChunk, 'dictionary' | 'range'> {
    const bytes = this.#distinct.encode(room.dictionary, count)
    return { dictionary: { bytes, values: count }, ...findRange(this.#distinct, room.dictionary, count) }
  }
}

const noList = new Uint32Array(0)

// Loops over rows are functions of their own, as in find-distinct.ts.

function findValues(ofId: Uint32Array, ids: Uint32Array, rows: number, target: Uint32Array): Uint32Array {
  for (let row = 0; row < rows; row++) target[row] = uint32At(ofId, uint32At(ids, row))
  return target
}

function countNulls(all: Uint32Array, rows: number): number {
  let nulls = 0
  for (let row = 0; row < rows; row++) if (all[row] === noText) nulls++
  return nulls
}

/** Copies the values without nulls, and sets the definition level of each row; `all` and `present` may be one array. */
function dropNulls(all: Uint32Array, rows: number, present: Uint32Array, levels: Uint32Array): void {
  let count = 0
  for (let row = 0; row < rows; row++) {
    const value = uint32At(all, row)
    levels[row] = value === noText ? 0 : 1
    if (value !== noText) present[count++] = value
  }
}
