import { everywhere } from '../../../schema/summary/definition.ts'
import { readText } from '../csv.ts'
import type { ResultRow } from '../result-row.ts'
import { NotComparable } from './not-comparable.ts'

/** Rows of a summary by their keys. */
type Index = ReadonlyMap<string, ResultRow>

const placeColumn = 'place_of_service'

/** Writes the values of a row in some columns as a text that no row with other values has. */
export const writeKey = (row: ResultRow, columns: readonly string[]) =>
  JSON.stringify(columns.map((column) => readText(row[column])))

/** @throws NotComparable if two rows have the same values in the columns of the key */
export function indexRows(rows: readonly ResultRow[], columns: readonly string[]): Index {
  const index = new Map(rows.map((row) => [writeKey(row, columns), row]))
  if (index.size < rows.length)
    throw new NotComparable('a summary has two rows for the same: give the files of one search for each side')
  return index
}

/** The rows of two summaries that are about the same, or one that only one of them has. */
type Pair = readonly [old: ResultRow | undefined, now: ResultRow | undefined]

/**
 * Pairs the rows of both summaries.
 *
 * @param columns columns of the key if a row for all places stands for missing places, else undefined
 */
export function pairRows(before: Index, after: Index, columns: readonly string[] | undefined): readonly Pair[] {
  const substitutes = new Set<ResultRow>()
  const find = (index: Index, key: string, row: ResultRow) => {
    const counterpart = index.get(key)
    if (counterpart !== undefined || columns === undefined) return counterpart
    const substitute = index.get(writeKey({ ...row, [placeColumn]: everywhere }, columns))
    if (substitute !== undefined) substitutes.add(substitute)
    return substitute
  }
  const pairs = [
    ...[...before].map(([key, row]) => [row, find(after, key, row)] as const),
    ...[...after].flatMap(([key, row]) => (before.has(key) ? [] : [[find(before, key, row), row] as const])),
  ]
  // A row for all places that stands for single places is compared with each of them, and with nothing else.
  return pairs.filter(
    ([old, now]) =>
      !(now === undefined && old && substitutes.has(old)) && !(old === undefined && now && substitutes.has(now)),
  )
}
