import { float64At } from '../../../schema/at.ts'

/** Maximum number of items that are sorted here; the engine sorts more of them faster. */
const maxInsertions = 48

/** Sorts a range of an array. Most ranges are short, and many are sorted already. */
export function sortRange(items: Float64Array, start: number, end: number): void {
  if (end - start > maxInsertions) {
    items.subarray(start, end).sort()
    return
  }
  for (let at = start + 1; at < end; at++) {
    const item = float64At(items, at)
    let to = at
    for (; to > start && float64At(items, to - 1) > item; to--) items[to] = float64At(items, to - 1)
    items[to] = item
  }
}

/** Removes repetitions from a sorted range of an array. @returns the number of items that remain */
export function removeRepetitions(items: Float64Array, start: number, end: number): number {
  let to = start
  for (let at = start; at < end; at++)
    if (at === start || items[at] !== items[at - 1]) items[to++] = float64At(items, at)
  return to - start
}
