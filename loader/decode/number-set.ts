/** The last generation. After it, the array is cleared and generations start again at 1. */
const lastGeneration = 0xff_ff_ff_ff

/**
 * A set of small natural numbers that is emptied often, such as the references of one rate. The engine's own sets hash
 * numbers without a seed, so a file could choose numbers that collide.
 */
export class NumberSet {
  #generations = new Uint32Array(1024)
  #generation = 1
  /** True if the set has no number. */
  isEmpty = true

  /** Adds a number. Returns true if the set did not have it. */
  add(number: number): boolean {
    if (number >= this.#generations.length) this.#enlarge(2 * number)
    const isNew = this.#generations[number] !== this.#generation
    this.#generations[number] = this.#generation
    this.isEmpty = false
    return isNew
  }

  has(number: number): boolean {
    return this.#generations[number] === this.#generation
  }

  clear(): void {
    this.isEmpty = true
    if (this.#generation === lastGeneration) this.#generations.fill(0)
    this.#generation = this.#generation === lastGeneration ? 1 : this.#generation + 1
  }

  #enlarge(length: number): void {
    const generations = new Uint32Array(length)
    generations.set(this.#generations)
    this.#generations = generations
  }
}
