import * as v from 'valibot'

const table = v.object({
  columns: v.array(v.string()),
  rows: v.array(v.array(v.unknown())),
  same_in_all_rows: v.record(v.string(), v.unknown()),
})

/** Reads the rows of a tool's answer by column. */
export function readTable(data: unknown): readonly Readonly<Record<string, unknown>>[] {
  const { columns, rows, same_in_all_rows: same } = v.parse(table, data)
  return rows.map((values) => ({ ...same, ...Object.fromEntries(columns.map((name, index) => [name, values[index]])) }))
}
