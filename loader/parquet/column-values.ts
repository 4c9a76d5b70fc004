/** A value of a column that is stored as text, as days since 1970, or as a list of texts; null where there is none. */
export type ColumnValue = string | number | readonly string[] | null

/** The distinct values of a column, and which of them each id has. */
export interface DistinctValues {
  /** By id: the index of its distinct value, or -1 if it has none. */
  readonly ofId: Int32Array
  /** By distinct value of a list: its elements, as indexes of distinct texts. Undefined if values are no lists. */
  readonly lists: readonly Uint32Array[] | undefined
  /** The most elements of a list. */
  readonly longest: number
  /** How many distinct texts or numbers there are. */
  readonly count: number
  /** Whether any id has no value. */
  readonly hasNulls: boolean
  /** The size of a distinct text or number in bytes. */
  sizeOf(index: number): number
  /** The bytes of some distinct texts and numbers. */
  concat(indexes: readonly number[]): Buffer
  at(index: number): string | number
  /** Compares distinct texts by their bytes, as Parquet orders them. */
  compare(one: number, other: number): number
}

/** Values that are each encoded once. */
export class ColumnValues implements DistinctValues {
  readonly ofId: Int32Array
  readonly lists: readonly Uint32Array[] | undefined
  readonly longest: number
  readonly count: number
  readonly hasNulls: boolean
  readonly #texts: readonly (string | number)[]
  /** The distinct texts or numbers in the encoding PLAIN, and where each begins. */
  readonly #bytes: Buffer
  readonly #starts: Uint32Array

  /**
   * @param values by id
   * @param isList whether they are lists
   */
  constructor(values: readonly ColumnValue[], isList: boolean) {
    const seen = new Map<string | number, number>()
    const texts: (string | number)[] = []
    const indexOf = (text: string | number) => {
      const known = seen.get(text)
      if (known !== undefined) return known
      seen.set(text, texts.length)
      return texts.push(text) - 1
    }
    const lists = new Map<string, number>()
    const elements: Uint32Array[] = []
    this.ofId = new Int32Array(values.length)
    this.hasNulls = false
    for (let id = 0; id < values.length; id++) {
      const value = values[id] ?? null
      if (value === null) {
        this.ofId[id] = -1
        this.hasNulls = true
      } else if (typeof value !== 'object') this.ofId[id] = indexOf(value)
      else {
        const indexes = value.map(indexOf)
        const key = indexes.join()
        const known = lists.get(key)
        this.ofId[id] = known ?? elements.length
        if (known === undefined) {
          lists.set(key, elements.length)
          elements.push(Uint32Array.from(indexes))
        }
      }
    }
    this.lists = isList ? elements : undefined
    this.longest = elements.reduce((most, { length }) => Math.max(most, length), 1)
    this.count = texts.length
    this.#texts = texts
    this.#starts = new Uint32Array(texts.length + 1)
    this.#bytes = encodePlain(texts, this.#starts)
  }

  sizeOf(index: number): number {
    return (this.#starts[index + 1] ?? 0) - (this.#starts[index] ?? 0)
  }

  concat(indexes: readonly number[]): Buffer {
    const [source, starts] = [this.#bytes, this.#starts]
    let size = 0
    for (const index of indexes) size += (starts[index + 1] ?? 0) - (starts[index] ?? 0)
    const target = Buffer.allocUnsafe(size)
    let at = 0
    for (const index of indexes) {
      const end = starts[index + 1] ?? 0
      // Most are short, and a loop copies them faster than a call.
      for (let from = starts[index] ?? 0; from < end; from++) target[at++] = source[from] ?? 0
    }
    return target
  }

  at(index: number): string | number {
    return this.#texts[index] ?? ''
  }

  compare(one: number, other: number): number {
    const [a, b] = [this.#texts[one], this.#texts[other]]
    if (typeof a === 'number' && typeof b === 'number') return a - b
    const startOfText = 4
    return this.#bytes.compare(
      this.#bytes,
      (this.#starts[other] ?? 0) + startOfText,
      this.#starts[other + 1],
      (this.#starts[one] ?? 0) + startOfText,
      this.#starts[one + 1],
    )
  }
}

/** Compares texts by their bytes in UTF-8, as Parquet orders them. */
export function compareTexts(one: string, other: string): number {
  if (one === other) return 0
  // Only surrogates have another place in the order of UTF-16.
  if (surrogate.test(one) || surrogate.test(other)) return Buffer.compare(Buffer.from(one), Buffer.from(other))
  return one < other ? -1 : 1
}

const surrogate = /[\ud800-\udfff]/

/**
 * Writes texts after their lengths, and numbers as INT32. Source: Apache Parquet format, encoding PLAIN.
 *
 * @param starts receives where each begins and the last one ends
 */
function encodePlain(values: readonly (string | number)[], starts: Uint32Array): Buffer {
  let size = 0
  for (const [index, value] of values.entries()) {
    size += 4 + (typeof value === 'string' ? Buffer.byteLength(value) : 0)
    starts[index + 1] = size
  }
  const bytes = Buffer.allocUnsafe(size)
  for (const [index, value] of values.entries()) {
    const start = starts[index] ?? 0
    if (typeof value === 'number') bytes.writeInt32LE(value, start)
    else {
      bytes.writeUInt32LE((starts[index + 1] ?? 0) - start - 4, start)
      bytes.write(value, start + 4)
    }
  }
  return bytes
}
