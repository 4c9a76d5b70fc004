/**
 * Writes the relation of DuckDB that has the lines of a CSV file. Its columns are texts, named `c0`, `c1` and so on by
 * their places, so that nothing in a file becomes a name in SQL.
 *
 * @param path a plain path
 * @param width number of columns
 * @param skipsFaults true to leave out lines that cannot be read, false to fail for one
 */
export function readCsv(path: string, width: number, skipsFaults: boolean): string {
  const columns = Array.from({ length: width }, (_, index) => `c${index}: 'VARCHAR'`)
  const form = `auto_detect = false, header = true, delim = ',', quote = '"', escape = '"'`
  // Rejects are not stored: DuckDB would keep a copy of the line for each field that it has too many or too few.
  const faults = `ignore_errors = ${skipsFaults}`
  return `read_csv(${text(path)}, ${form}, ${faults}, columns = {${columns.join(', ')}})`
}

/** Writes a text as SQL. */
export const text = (value: string): string => `'${value.replaceAll("'", "''")}'`
