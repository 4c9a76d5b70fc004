/**
 * Returns the element at an index that must exist, so that a wrong index is an error and never becomes a value.
 *
 * @param list has no `undefined` elements
 * @param index counted from 0; a negative index does not count from the end
 * @throws RangeError with the index and the length if no element is there
 */
export function at<Value>(list: ArrayLike<Value>, index: number): Value {
  const element = list[index]
  if (element === undefined) throw outOfRange(list, index)
  return element
}

// The engine keeps one record of the types that a function was called with, even where it inlines the function. Each
// kind of typed array therefore has an accessor of its own, so that loops over millions of numbers see one type.

/** Returns a byte of a buffer. @throws RangeError if the buffer has no such index */
export function uint8At(bytes: Uint8Array, index: number): number {
  const value = bytes[index]
  if (value === undefined) throw outOfRange(bytes, index)
  return value
}

/** Returns a number of 32 bits without a sign. @throws RangeError if the array has no such index */
export function uint32At(numbers: Uint32Array, index: number): number {
  const value = numbers[index]
  if (value === undefined) throw outOfRange(numbers, index)
  return value
}

/** Returns a number of 32 bits with a sign. @throws RangeError if the array has no such index */
export function int32At(numbers: Int32Array, index: number): number {
  const value = numbers[index]
  if (value === undefined) throw outOfRange(numbers, index)
  return value
}

/** Returns a number of 64 bits. @throws RangeError if the array has no such index */
export function float64At(numbers: Float64Array, index: number): number {
  const value = numbers[index]
  if (value === undefined) throw outOfRange(numbers, index)
  return value
}

const outOfRange = (list: ArrayLike<unknown>, index: number) =>
  new RangeError(`index ${index} is outside a list of length ${list.length}`)
