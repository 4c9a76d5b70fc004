/**
 * Limits the values that are held at once. Three bytes of a file can claim millions of values, so the size of the file
 * limits nothing.
 */
export class ValueBudget {
  #left: number

  constructor(values: number) {
    this.#left = values
  }

  /**
   * Takes values from it.
   *
   * @throws RangeError if there are not as many
   */
  spend(values: number): void {
    this.#left -= values
    if (this.#left < 0) throw new RangeError('it has more values in some rows than can be held')
  }
}
