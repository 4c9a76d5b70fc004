import { Float64List, Uint32List } from '../inline-groups/number-list.ts'

/** The TINs of provider groups that were read from their bytes, one after the other, until they are cleared. */
export class PlainTins {
  /** Changes when the TINs are cleared. */
  generation = 0
  /** The types as published. */
  readonly types: string[] = []
  readonly names: (string | undefined)[] = []
  /** The digits of all values. */
  values = Buffer.alloc(256)
  readonly endsOfValues = new Uint32List()
  /** As published: a TIN may have an NPI twice. */
  readonly npis = new Float64List()
  readonly endsOfNpis = new Uint32List()
  #valueBytes = 0

  get count(): number {
    return this.types.length
  }

  clear(): void {
    this.generation++
    this.truncate(0)
  }

  /** Removes TINs, and NPIs and digits without a TIN. */
  truncate(count: number): void {
    this.types.length = count
    this.names.length = count
    this.endsOfValues.length = count
    this.endsOfNpis.length = count
    this.npis.length = this.firstNpi(count)
    this.#valueBytes = this.startOfValue(count)
  }

  /** Adds a digit to the value of the next TIN. */
  addDigit(digit: number): void {
    if (this.#valueBytes === this.values.length) this.values = Buffer.concat([this.values, this.values])
    this.values[this.#valueBytes++] = digit
  }

  /** Adds a TIN with the NPIs and digits that were added before. */
  add(type: string, name: string | undefined): void {
    this.types.push(type)
    this.names.push(name)
    this.endsOfValues.push(this.#valueBytes)
    this.endsOfNpis.push(this.npis.length)
  }

  /** Where the NPIs of a TIN begin. */
  firstNpi(tin: number): number {
    return tin === 0 ? 0 : (this.endsOfNpis.items[tin - 1] ?? 0)
  }

  /** Where the digits of a TIN's value begin. */
  startOfValue(tin: number): number {
    return tin === 0 ? 0 : (this.endsOfValues.items[tin - 1] ?? 0)
  }

  /** The value of a TIN. */
  valueOf(tin: number): string {
    return this.values.toString('latin1', this.startOfValue(tin), this.endsOfValues.items[tin])
  }

  /** Whether two TINs have the same type and value. */
  isSame(one: number, other: number): boolean {
    let [a, b] = [this.startOfValue(one), this.startOfValue(other)]
    const end = this.endsOfValues.items[one] ?? 0
    if (this.types[one] !== this.types[other] || end - a !== (this.endsOfValues.items[other] ?? 0) - b) return false
    while (a < end) if (this.values[a++] !== this.values[b++]) return false
    return true
  }

  /** How many NPIs were added since the last TIN. */
  get newNpis(): number {
    return this.npis.length - this.firstNpi(this.count)
  }

  /** How many digits were added since the last TIN. */
  get newDigits(): number {
    return this.#valueBytes - this.startOfValue(this.count)
  }
}
