import { ratesColumns, relationColumns } from './rates.ts'

/** The columns of an operator's own relation `rates`, as named in its stage file and passed to functions. */

/** Value of `RATES_COLUMNS` for the service's own relation. An empty value could be a forgotten one. */
const serviceColumns = 'all'

/** The columns of a complete relation, in order. An operator's may also have the columns that searches join. */
export const allColumns: readonly string[] = relationColumns.map(({ name }) => name)

const planIds = 'now plan_ids, a list of texts such as ein|222222222, and plan_id_count, their number'

/** Columns of earlier versions, and their replacements. */
export const replacedColumns: ReadonlyMap<string, string> = new Map([
  ['plan_id', planIds],
  ['plan_id_type', planIds],
])

/** Finds the required columns that an operator's relation lacks, and names of no column of `rates`. */
export function findColumnFaults(columns: readonly string[]) {
  return {
    missing: ratesColumns.filter(({ name, required }) => required && !columns.includes(name)).map(({ name }) => name),
    // A misspelt column would silently be read as NULLs.
    unknown: columns.filter((column) => !ratesColumns.some(({ name }) => name === column)),
  }
}

/** @param columns undefined: the relation is the service's own, with all columns and with sources */
export function writeRelationColumns(columns: readonly string[] | undefined): string {
  return columns?.join() ?? serviceColumns
}

/** Parses the text of `writeRelationColumns`. */
export function parseRelationColumns(text: string): readonly string[] | undefined {
  return text === serviceColumns ? undefined : text.split(',')
}
