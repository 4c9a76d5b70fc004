import { float64At } from '../../../schema/at.ts'

/** Items from which sorting by the engine is faster. */
const many = 48

/** Sorts part of an array; most are short, and many are sorted already. */
export function sortRange(items: Float64Array, start: number, end: number): void {
  if (end - start > many) {
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

/** Removes repetitions from a sorted part of an array. @returns how many items remain */
export function removeRepetitions(items: Float64Array, start: number, end: number): number {
  let to = start
  for (let at = start; at < end; at++)
    if (at === start || items[at] !== items[at - 1]) items[to++] = float64At(items, at)
  return to - start
}
