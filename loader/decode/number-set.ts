/** The last mark. After it, the array is cleared and marking starts again at 1. */
const lastMark = 0xff_ff_ff_ff

/**
 * A set of small natural numbers that is emptied often, such as the references of one rate. The engine's own sets hash
 * numbers without a seed, so a file could choose numbers that collide.
 */
export class NumberSet {
  #marks = new Uint32Array(1024)
  #mark = 1
  /** True if the set has no number. */
  isEmpty = true

  /** Adds a number. Returns true if the set did not have it. */
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
