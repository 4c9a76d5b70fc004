import type { SummaryRequest } from '../../contract/summaries.ts'
import { ratesColumns } from '../columns/rates.ts'
import type { ResultColumns } from '../columns/shard-schema.ts'
import { rankColumns, summaryColumns } from './summary-columns.ts'

/** The fields of a search that decide the columns of its result. */
interface ColumnChoice {
  readonly summary?: SummaryRequest
  /** Names of columns of rows. @default - all of them */
  readonly columns?: readonly string[]
}

/**
 * Returns the columns of every file of a search's result: those of rows, some of them, or those of summaries, with
 * ranks if only the first rows were asked for.
 */
export function resultColumns({ summary, columns }: ColumnChoice): ResultColumns {
  if (summary === undefined) return rowColumns(columns)
  return summary.first === undefined ? summaryColumns : [...summaryColumns, ...rankColumns]
}

/** Returns the columns of rows, or some of them, in the order of results. */
export const rowColumns = (names: readonly string[] | undefined): typeof ratesColumns =>
  names === undefined ? ratesColumns : ratesColumns.filter(({ name }) => names.includes(name))
