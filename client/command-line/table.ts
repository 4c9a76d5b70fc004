import { at } from '../../schema/at.ts'
import { countOf } from '../../schema/phrases.ts'
import { printable } from './printable.ts'

/** Maximum number of names of a list that a message writes out; the others are counted. */
export const maxShownNames = 5

/** A cell: columns of numbers are aligned to the right, also if some are missing. */
export type Cell = string | number | null | undefined

/** Rows under their column names, for a terminal. */
export function formatTable(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [columns, ...rows].map((row) => row.map(formatCell))
  const isNumeric = columns.map((_, index) => {
    const cells = rows.map((row) => row[index]).filter((cell) => cell !== null && cell !== undefined)
    return cells.length > 0 && cells.every((cell) => typeof cell === 'number')
  })
  return alignRows(lines, isNumeric).join('\n')
}

/** Returns the width of each column: that of its longest cell. */
export const measureColumns = ([header = [], ...rows]: readonly (readonly string[])[]): readonly number[] =>
  header.map((name, index) => Math.max(name.length, ...rows.map((row) => at(row, index).length)))

/**
 * Pads the cells of rows, so that they stand in columns.
 *
 * @param rows the header first
 * @param isNumeric true for each column that is aligned to the right
 * @returns one line for each row
 */
export function alignRows(rows: readonly (readonly string[])[], isNumeric: readonly boolean[]): readonly string[] {
  const widths = measureColumns(rows)
  return rows.map((cells) =>
    cells
      .map((cell, index) => (isNumeric[index] ? cell.padStart(at(widths, index)) : cell.padEnd(at(widths, index))))
      .join('  ')
      .trimEnd(),
  )
}

/** Escapes control characters: a line end in a name would begin another row. */
const formatCell = (cell: Cell) => (cell === null || cell === undefined ? '-' : printable(String(cell)))

const units = ['bytes', 'kB', 'MB', 'GB', 'TB']

/** Formats bytes in decimal units. */
export function formatBytes(bytes: number): string {
  let [value, unit] = [Math.max(0, bytes), 0]
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : Number(value.toPrecision(3))} ${units[unit]}`
}

/** Formats the number of a result's rows, and says if the search has more. */
export const formatRows = ({ rows, truncated }: { readonly rows: number; readonly truncated?: boolean }): string =>
  truncated ? `${rows}, truncated` : String(rows)

/** Formats a duration, such as "13 s" and "2 min 13 s". */
export function formatSeconds(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  return minutes === 0 ? `${seconds} s` : `${minutes} min ${seconds % 60} s`
}

/** Describes the files and bytes that a search reads by its estimate, such as "2 files, at most 5.56 kB". */
export const describeReads = (files: number, bytes: number | null) =>
  `${countOf(files, 'file')}, ${bytes === null ? 'an unknown number of bytes' : `at most ${formatBytes(bytes)}`}`
