/**
 * Returns the element at an index that must exist, so that a wrong index is an error and never becomes a value.
 *
 * @param list has no `undefined` elements
 * @param index counted from 0; a negative index does not count from the end
 * @throws RangeError with the index and the length if no element is there
 */
export function at<Value>(list: ArrayLike<Value>, index: number): Value {
  const element = list[index]
  if (element === undefined) throw new RangeError(`index ${index} is outside a list of length ${list.length}`)
  return element
}
