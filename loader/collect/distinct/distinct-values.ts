/** Distinct texts or numbers, numbered from 0. */
export interface DistinctValues {
  readonly count: number
  /** Encodes the first `count` of these values as PLAIN. Source: Apache Parquet format, "Plain". */
  encode(values: Uint32Array, count: number): Buffer
  at(value: number): string | number
  /** Compares as Parquet orders statistics: texts by their bytes. */
  compare(one: number, other: number): number
}

/** Natural numbers of 31 bits, each its own number. */
export class NaturalNumbers implements DistinctValues {
  readonly count: number

  /** @param numbers all numbers that may be used */
  constructor(numbers: Uint32Array) {
    this.count = 1 + numbers.reduce((most, number) => Math.max(most, number), 0)
  }

  encode(values: Uint32Array, count: number): Buffer {
    return Buffer.from(values.slice(0, count).buffer)
  }

  at(value: number): number {
    return value
  }

  compare(one: number, other: number): number {
    return one - other
  }
}
