import { ratesColumns } from './rates.ts'

/** Which columns an operator's own relation `rates` has, as a stage names them and as a function is told. */

/** How `RATES_COLUMNS` says that the relation is the service's own. An empty variable would pass for a forgotten one. */
const serviceColumns = 'all'

/** The columns of a relation that lacks none, in order. */
export const allColumns: readonly string[] = ratesColumns.map(({ name }) => name)

/** What is wrong with the columns that a stage names; both lists are empty where nothing is. */
export interface ColumnFaults {
  /** Required columns that the relation lacks. */
  readonly missing: readonly string[]
  /** Names that no column of `rates` has: misspelt ones would be read as NULLs without a word. */
  readonly unknown: readonly string[]
}

const planIds = 'now plan_ids, a list of texts such as ein|222222222, and plan_id_count, their number'

/** Columns that a result had before, and what a relation has in their place. */
export const replacedColumns: ReadonlyMap<string, string> = new Map([
  ['plan_id', planIds],
  ['plan_id_type', planIds],
])

/** Holds the columns of an operator's relation against those that a search cannot do without. */
export function findColumnFaults(columns: readonly string[]): ColumnFaults {
  return {
    missing: ratesColumns.filter(({ name, required }) => required && !columns.includes(name)).map(({ name }) => name),
    unknown: columns.filter((column) => !allColumns.includes(column)),
  }
}

/** @param columns undefined: the relation is the service's own, with all columns and with sources */
export function writeRelationColumns(columns: readonly string[] | undefined): string {
  return columns?.join() ?? serviceColumns
}

/** What `writeRelationColumns` wrote. */
export function parseRelationColumns(text: string): readonly string[] | undefined {
  return text === serviceColumns ? undefined : text.split(',')
}
