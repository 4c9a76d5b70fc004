import * as v from 'valibot'
import { rowPages, writeLimit } from '../../limits.ts'
import { appliedSummary } from '../summaries.ts'
import { count, describeObject, describeValue, jobId, pageSize } from '../values.ts'
import { resultColumn } from './manifest.ts'

/** Values of a row: whole numbers are numbers, and amounts texts with all of their digits. */
const value = v.nullable(v.union([v.string(), v.number(), v.array(v.nullable(v.string()))]))

export const resultRow = v.pipe(
  v.record(v.string(), value),
  v.description(
    'A row: the value of each column by its name. Amounts (`decimal(18,4)`) are texts with all of their digits, such as "361.25"; NPIs and counts are numbers, dates `YYYY-MM-DD`, lists arrays, and NULL is null.',
  ),
)

export const resultRows = describeObject('Rows of a completed search.', {
  job_id: jobId,
  summary: v.exactOptional(appliedSummary),
  columns: v.pipe(v.array(resultColumn), v.minLength(1), v.description('The columns of these rows, in order.')),
  rows: v.pipe(v.array(resultRow), v.maxLength(rowPages.max), v.description('The rows.')),
  rows_total: describeValue(count, 'Number of rows in the whole result.', 16),
  truncated: describeValue(
    v.boolean(),
    'True if the search has more rows than this answer: the result has, or its own `limit` has cut them off.',
    false,
  ),
  ordered: describeValue(
    v.boolean(),
    'True for the first rows in the order of summaries; false for any rows, which come in no order, as those of a result.',
    false,
  ),
})

export const rowsLimit = describeValue(
  pageSize(rowPages),
  `Maximum number of rows in the answer, 1 to ${writeLimit(rowPages.max)}. It can have fewer, because it reads a bounded number of bytes; \`truncated\` says if there are more.`,
  10,
)

export const rowsColumns = describeValue(
  v.pipe(v.string(), v.minLength(1)),
  'Names of columns of the result with commas between them, in the order that they shall have. Left out: all columns.',
  'plan,billing_code,negotiated_rate',
)

export const rowsFormat = describeValue(
  v.picklist(['json', 'csv']),
  'Form of the answer. Left out: `csv` if `Accept` asks for `text/csv` and not for JSON, else `json`.',
  'csv',
)
