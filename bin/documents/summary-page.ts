import { trinoType } from '../../schema/columns/column.ts'
import { rankColumns, summaryColumns } from '../../schema/summary/summary-columns.ts'
import { code, tableOf } from './schema-page.ts'

/** Generates docs/summary-schema.md from the columns of summaries. */
export const describeSummarySchema = (): string =>
  [
    '# A summary’s row',
    'Written by `npm run schema` from `schema/summary/summary-columns.ts`: change it there.',
    `A summary is one or more Parquet files. All files of all summaries have the same ${summaryColumns.length} columns in this order, with the physical types of a
[result’s row](result-schema.md#physical-types); a summary of [first rows](summaries.md#the-first-rows) has ${rankColumns.length} more, the last in the table.
[summaries.md](summaries.md) says what is in one row and what counts.`,
    tableOf(
      ['', 'column', 'type', 'null', 'meaning'],
      [...summaryColumns, ...rankColumns].map(({ name, type, nullable, meaning }, index) => [
        String(index + 1),
        code(name),
        code(trinoType(type)),
        nullable ? 'yes' : 'no',
        meaning,
      ]),
    ),
    '"Null: no" is a promise about the data: in Parquet every column is OPTIONAL, because Athena writes it so.',
  ]
    .map((part) => `${part}\n`)
    .join('\n')
