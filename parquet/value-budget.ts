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
   * @throws RangeError if fewer are left
   */
  spend(values: number): void {
    this.#left -= values
    if (this.#left < 0) throw new RangeError('a block of its rows has more values than can be held')
  }
}
