import { uint32At } from '../../../schema/at.ts'
import type { DistinctValues } from '../../collect/distinct/distinct-values.ts'
import { Uint32List } from '../../decode/number-list.ts'
import type { ColumnChunk } from './column-chunk.ts'
import { DataPage } from './data-page.ts'
import { findDistinct } from './find-distinct.ts'

/** Arrays for the elements of one row group, which columns share. */
let room = createRoom(0)

function createRoom(size: number) {
  const array = () => new Uint32Array(size)
  return { places: array(), dictionary: array(), indexes: array(), repetitions: array(), definitions: array() }
}

/**
 * A column of lists without NULL elements. The lists of a row group are added first, and rows name them by number.
 */
export class ListColumn {
  readonly #distinct: DistinctValues
  readonly #elements = new Uint32List()
  /** By list: the start of its elements, which is the end of the previous list. */
  readonly #starts = new Uint32List()

  /** @param distinct the values that elements name */
  constructor(distinct: DistinctValues) {
    this.#distinct = distinct
    this.clear()
  }

  clear(): void {
    this.#elements.length = 0
    this.#starts.length = 0
    this.#starts.push(0)
  }

  /** Adds a list. @returns its number; a list that equals the last one gets the number of the last one */
  add(values: Uint32Array, start: number, end: number): number {
    const last = this.#starts.length - 2
    if (last >= 0 && this.#isList(last, values, start, end)) return last
    for (let index = start; index < end; index++) this.#elements.push(uint32At(values, index))
    this.#starts.push(this.#elements.length)
    return last + 1
  }

  /** Encodes the lists of rows. Elements that rows share are looked up once. A list without elements is NULL. */
  encode(listOf: Uint32Array, rows: number): ColumnChunk {
    const [elements, starts] = [this.#elements.view(), this.#starts.view()]
    const levels = countLevels(listOf, rows, starts)
    if (room.places.length < Math.max(levels, elements.length)) room = createRoom(Math.max(levels, elements.length))
    const { places, dictionary, indexes, repetitions, definitions } = room
    const size = findDistinct(
      elements,
      elements.length,
      { domain: this.#distinct.count },
      { distinct: dictionary, places },
    )
    const present = writeElements(listOf, rows, starts, places)
    const page = new DataPage(levels)
    if (levels === rows) page.addLevel(0, levels)
    else page.addLevels(repetitions, levels, 1)
    if (present === levels) page.addLevel(maxDefinition, levels)
    else page.addLevels(definitions, levels, maxDefinition)
    page.addIndexes(indexes, present, size)
    const values = { bytes: this.#distinct.encode(dictionary, size), values: size }
    return { page: page.bytes, dictionary: values, values: levels, nulls: levels - present }
  }

  #isList(list: number, values: Uint32Array, start: number, end: number): boolean {
    const [{ items: elements }, { items: starts }] = [this.#elements, this.#starts]
    const from = uint32At(starts, list)
    if (uint32At(starts, list + 1) - from !== end - start) return false
    for (let index = start; index < end; index++) if (elements[from + index - start] !== values[index]) return false
    return true
  }
}

/** The definition level of an element: its list is there, has elements, and the element is there. */
const maxDefinition = 3

// Loops over rows are functions of their own, as in find-distinct.ts.

/** Counts the levels of the lists of rows: one for each element, and one for an empty list. */
function countLevels(listOf: Uint32Array, rows: number, starts: Uint32Array): number {
  let levels = 0
  for (let row = 0; row < rows; row++) {
    const list = uint32At(listOf, row)
    levels += Math.max(1, uint32At(starts, list + 1) - uint32At(starts, list))
  }
  return levels
}

/** Sets the levels of the lists of rows, and the indexes of their elements. @returns number of elements */
function writeElements(listOf: Uint32Array, rows: number, starts: Uint32Array, places: Uint32Array): number {
  const { indexes, repetitions, definitions } = room
  let level = 0
  let present = 0
  for (let row = 0; row < rows; row++) {
    const list = uint32At(listOf, row)
    const first = uint32At(starts, list)
    const end = uint32At(starts, list + 1)
    repetitions[level] = 0
    definitions[level] = first === end ? 0 : maxDefinition
    if (first === end) level++
    for (let element = first; element < end; element++) {
      if (element > first) {
        repetitions[level] = 1
        definitions[level] = maxDefinition
      }
      level++
      indexes[present++] = uint32At(places, element)
    }
  }
  return present
}
