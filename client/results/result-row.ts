/** A row of a result, by column: texts, whole numbers, decimals, dates, lists of them, and null. */
export type ResultRow = Readonly<Record<string, unknown>>

/** Groups rows by a key, in their order. Stands in for `Map.groupBy`, which Node 20 lacks. */
export function groupRows(
  rows: readonly ResultRow[],
  keyOf: (row: ResultRow) => string,
): ReadonlyMap<string, readonly ResultRow[]> {
  const groups = new Map<string, ResultRow[]>()
  for (const row of rows) {
    const key = keyOf(row)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [row])
    else group.push(row)
  }
  return groups
}
