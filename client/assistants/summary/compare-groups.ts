import type { ResultRow } from '../../results/result-row.ts'
import { plainValue } from '../../results/summary-rows.ts'

/** Groups of two summaries, paired by what they are about. */
export interface ComparedGroups {
  /** The groups that both have, the largest difference first. */
  readonly pairs: readonly Readonly<Record<string, unknown>>[]
  /** Columns of `pairs`. */
  readonly columns: readonly string[]
  readonly onlyInFirst: number
  readonly onlyInSecond: number
}

const figures = ['first_median', 'second_median', 'percent', 'first_value_count', 'second_value_count']

/**
 * Pairs the groups of two summaries that agree in all of the given columns, and compares their medians.
 *
 * @param about columns in which the groups of a pair agree
 */
export function compareGroups(
  first: readonly ResultRow[],
  second: readonly ResultRow[],
  about: readonly string[],
): ComparedGroups {
  const keyOf = (row: ResultRow) => JSON.stringify(about.map((name) => plainValue(row[name])))
  const secondRows = new Map(second.map((row) => [keyOf(row), row]))
  const pairs = first.flatMap((row) => {
    const other = secondRows.get(keyOf(row))
    return other === undefined ? [] : [{ ...pick(row, about), ...compareMedians(row, other) }]
  })
  return {
    pairs: pairs.toSorted((one, other) => Math.abs(other.percent ?? 0) - Math.abs(one.percent ?? 0)),
    columns: [...about, ...figures],
    onlyInFirst: first.length - pairs.length,
    onlyInSecond: second.length - pairs.length,
  }
}

const pick = (row: ResultRow, names: readonly string[]) => Object.fromEntries(names.map((name) => [name, row[name]]))

/** @returns the percentage has one digit after the point, and is null if a side has no median above zero */
function compareMedians(one: ResultRow, other: ResultRow) {
  const [before, after] = [plainValue(one['median']), plainValue(other['median'])]
  const isComparable = before !== null && after !== null && Number(before) > 0
  return {
    first_median: before,
    second_median: after,
    percent: isComparable ? Math.round((Number(after) / Number(before) - 1) * 1000) / 10 : null,
    first_value_count: plainValue(one['value_count']),
    second_value_count: plainValue(other['value_count']),
  }
}
