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
 * A column of lists. Those of a row group are added first, and rows name them by number; they are never NULL inside.
 */
export class ListColumn {
  readonly #distinct: DistinctValues
  readonly #elements = new Uint32List()
  /** By list: where its elements begin, and those of the one before end. */
  readonly #starts = new Uint32List()

  /** @param distinct what the elements are */
  constructor(distinct: DistinctValues) {
    this.#distinct = distinct
    this.clear()
  }

  clear(): void {
    this.#elements.length = 0
    this.#starts.length = 0
    this.#starts.push(0)
  }

  /** @returns the number of the list, which is that of the last one if both are equal */
  add(values: Uint32Array, start: number, end: number): number {
    const last = this.#starts.length - 2
    if (last >= 0 && this.#isList(last, values, start, end)) return last
    for (let index = start; index < end; index++) this.#elements.push(values[index] ?? 0)
    this.#starts.push(this.#elements.length)
    return last + 1
  }

  /** Elements that rows share are looked up once. A list without elements is NULL. */
  encode(listOf: Uint32Array, rows: number): ColumnChunk {
    const [elements, starts] = [this.#elements.view(), this.#starts.view()]
    const levels = countLevels(listOf, rows, starts)
    if (room.places.length < Math.max(levels, elements.length)) room = createRoom(Math.max(levels, elements.length))
    const { places, dictionary, indexes, repetitions, definitions } = room
    const size = findDistinct(elements, elements.length, { domain: this.#distinct.count }, dictionary, places)
    const present = spreadLists(listOf, rows, starts, places)
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
    const from = starts[list] ?? 0
    if ((starts[list + 1] ?? 0) - from !== end - start) return false
    for (let index = start; index < end; index++) if (elements[from + index - start] !== values[index]) return false
    return true
  }
}

/** The definition level of an element: its list is there, has elements, and the element is there. */
const maxDefinition = 3

// Loops over rows are functions of their own, as in find-distinct.ts.

/** How many levels lists have; an empty one has one, too. */
function countLevels(listOf: Uint32Array, rows: number, starts: Uint32Array): number {
  let levels = 0
  for (let row = 0; row < rows; row++) {
    const list = listOf[row] ?? 0
    levels += Math.max(1, (starts[list + 1] ?? 0) - (starts[list] ?? 0))
  }
  return levels
}

/** Sets the levels of lists, and the indexes of their elements. @returns how many elements there are */
function spreadLists(listOf: Uint32Array, rows: number, starts: Uint32Array, places: Uint32Array): number {
  const { indexes, repetitions, definitions } = room
  let level = 0
  let present = 0
  for (let row = 0; row < rows; row++) {
    const list = listOf[row] ?? 0
    const first = starts[list] ?? 0
    const end = starts[list + 1] ?? 0
    repetitions[level] = 0
    definitions[level] = first === end ? 0 : maxDefinition
    if (first === end) level++
    for (let at = first; at < end; at++) {
      if (at > first) {
        repetitions[level] = 1
        definitions[level] = maxDefinition
      }
      level++
      indexes[present++] = places[at] ?? 0
    }
  }
  return present
}
