/** A block of rows, or a single one, has more values than may be held. */
export class TooManyValues extends RangeError {}

type Counted = readonly { readonly rows: number; readonly values: number }[]

/** Returns the number of elements of lists in columns, beyond the first of each row. */
export const countElements = (chunks: Counted): number =>
  chunks.reduce((sum, { rows, values }) => sum + Math.max(0, values - rows), 0)

/**
 * Returns how many rows can be read at once. The numbers of values say how many elements lists have together, but not
 * which row has them: if one block might have too many, rows are read one by one.
 *
 * @param chunks the columns to read
 * @param maxValues of a block, those of lists included
 */
export function countRowsAtOnce(chunks: Counted, maxRows: number, maxValues: number): number {
  return maxRows * chunks.length + countElements(chunks) <= maxValues ? maxRows : 1
}

/**
 * Limits the values that are held at once. Three bytes of a file can claim millions of values, so a limit on the size
 * of the file would not help.
 */
export class ValueBudget {
  #left: number

  constructor(values: number) {
    this.#left = values
  }

  /**
   * Takes values from the budget.
   *
   * @throws TooManyValues if fewer are left
   */
  spend(values: number): void {
    this.#left -= values
    if (this.#left < 0) throw new TooManyValues('a block of its rows has more values than can be held')
  }
}
