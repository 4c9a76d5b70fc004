import { ratesColumns } from '../columns/rates.ts'
import type { ResultColumns } from '../columns/shard-schema.ts'
import { summaryColumns } from './summary-columns.ts'

/** Returns the columns of every file of a job's result: those of rows, or those of summaries. */
export const resultColumns = ({ summary }: { readonly summary?: object }): ResultColumns =>
  summary === undefined ? ratesColumns : summaryColumns
