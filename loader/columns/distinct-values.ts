/** Distinct texts or numbers, numbered from 0. */
export interface DistinctValues {
  readonly count: number
  /** Writes some of them in the encoding PLAIN. Source: Apache Parquet format, "Plain". */
  encode(values: Uint32Array, count: number): Buffer
  at(value: number): string | number
  /** Compares as Parquet orders statistics: texts by their bytes. */
  compare(one: number, other: number): number
}
