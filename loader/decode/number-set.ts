/** An array is marked anew once its marks are used up. */
const lastMark = 0xff_ff_ff_ff

/**
 * A set of small natural numbers that is emptied often, such as those of the references of one rate. The engine hashes the
 * numbers of its own sets without a seed: a file could choose some that collide.
 */
export class NumberSet {
  #marks = new Uint32Array(1024)
  #mark = 1
  /** Whether no number is in the set. */
  isEmpty = true

  /** @returns whether the number was not in the set yet */
  add(number: number): boolean {
    if (number >= this.#marks.length) this.#enlarge(2 * number)
    const isNew = this.#marks[number] !== this.#mark
    this.#marks[number] = this.#mark
    this.isEmpty = false
    return isNew
  }

  has(number: number): boolean {
    return this.#marks[number] === this.#mark
  }

  clear(): void {
    this.isEmpty = true
    if (this.#mark === lastMark) this.#marks.fill(0)
    this.#mark = this.#mark === lastMark ? 1 : this.#mark + 1
  }

  #enlarge(length: number): void {
    const marks = new Uint32Array(length)
    marks.set(this.#marks)
    this.#marks = marks
  }
}
