import { hiveType } from '../../lib/warehouse/warehouse-views.ts'
import type { Column, ColumnType } from '../../schema/columns/column.ts'
import { contentIdColumn, loadIdColumn, sourceIdColumn, trinoType } from '../../schema/columns/column.ts'
import { allTables } from '../../schema/columns/providers-table.ts'
import { ratesColumns } from '../../schema/columns/rates.ts'
import { providerGroupKey, providerGroupKeys } from '../../schema/columns/warehouse-tables.ts'
import { summaryColumns } from '../../schema/summary/summary-columns.ts'

const types = [...new Set(ratesColumns.map(({ type }) => type))]

/** The columns of summaries that rows do not have. */
const statisticColumns = summaryColumns.filter(({ name }) => ratesColumns.every((column) => column.name !== name))

/** Generates the module that explains columns where only the client is. */
export const describeColumns = (): string =>
  [
    '/**',
    ' * Meanings of the columns of results: of rows, then those of summaries. Written by `npm run schema` from',
    ' * schema/columns/rates.ts and schema/summary/summary-columns.ts: change it there.',
    ' */',
    'export const columnMeanings: Readonly<Record<string, string>> = {',
    ...[...ratesColumns, ...statisticColumns].map(({ name, meaning }) => {
      const line = `  ${name}: ${quoteText(meaning)},`
      return line.length <= maxLine ? line : line.replace(': ', ':\n    ')
    }),
    '}\n',
  ].join('\n')

/** The formatter's. */
const maxLine = 120

const quoteText = (text: string) => (text.includes("'") ? JSON.stringify(text) : `'${text}'`)

/** Generates docs/result-schema.md from the columns that the service uses: the result's columns and the base tables. */
export function describeSchema(): string {
  return [
    '# A result’s row',
    'Written by `npm run schema` from `schema/columns/rates.ts`: change it there.',
    `A result is one or more Parquet files. All files of all jobs have the same ${ratesColumns.length} columns in this order. One row is one published price × one TIN
of its provider group × one NPI × one fee schedule. Count prices by \`price_id\`, never by rows, and never aggregate across different \`rate_unit\` or
\`negotiated_type\`: dollars are not percentages.`,
    tableOf(
      ['', 'column', 'type', 'null', 'meaning', 'source field'],
      ratesColumns.map((column, index) => [
        String(index + 1),
        code(column.name),
        code(trinoType(column.type)),
        column.nullable ? 'yes' : 'no',
        column.meaning,
        describeSource(column),
      ]),
    ),
    `Source fields are those of the CMS in-network file, schema 2.x. "Null: no" is a promise about the data: in Parquet every column is OPTIONAL, because Athena
writes it so. A list is NULL if nothing was published, never empty.`,
    '[result-values.md](result-values.md) has an example and explains the codes, and the [cookbook](cookbook.md) has queries.',
    '## Physical types',
    tableOf(
      ['type', 'in Parquet', 'in Glue'],
      types.map((type) => [code(trinoType(type)), physicalTypes[type], code(hiveType(type))]),
    ),
    '## The base tables',
    `\`rates\` is a view that joins three tables on \`${sourceIdColumn}\` (one loaded file) and two of them
on \`${providerGroupKey.name}\`, an element of \`${providerGroupKeys.name}\`. The third
has a \`${contentIdColumn}\` and says which fee schedules read which sources. The view also has these ids and \`${loadIdColumn}\`,
and the bucket and path of each file, by which a query skips files. \`current_contents\` says which contents are active, for
the view \`rates_current\` ([sql.md](sql.md)). \`providers\` is joined to the view by searches ([nppes.md](nppes.md)).`,
    tableOf(
      ['table', 'one row is', 'columns', 'sorted by'],
      allTables.map(({ name, grain, columns, sortedBy }) => [
        code(name),
        grain,
        columns.map((column) => code(column.name)).join(', '),
        sortedBy.map(code).join(', '),
      ]),
    ),
    '## A relation of your own',
    `A stage with its own warehouse needs a table or view \`rates\` with at least these columns:

${ratesColumns
  .filter(({ required }) => required)
  .map(({ name }) => `- ${code(name)}`)
  .join('\n')}

[own-relation.md](own-relation.md) describes the format of their values, how to check them and how to describe them in
the stage.`,
  ]
    .map((part) => `${part}\n`)
    .join('\n')
}

/**
 * Physical types of the columns as Athena writes them. Source: files written by Trino 411 and 476, in
 * test/fixtures/trino-parquet.
 */
const physicalTypes: Readonly<Record<ColumnType, string>> = {
  varchar: 'BYTE_ARRAY (String)',
  bigint: 'INT64',
  integer: 'INT32',
  'decimal(18,4)': 'FIXED_LEN_BYTE_ARRAY(8) (Decimal)',
  date: 'INT32 (Date)',
  'varchar ARRAY': 'LIST of BYTE_ARRAY (String)',
}

/** A path in the source file is formatted as code; words such as `computed` are not. */
const describeSource = ({ sourceField }: Column) => (/[_[]/.test(sourceField) ? code(sourceField) : sourceField)

export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

export const code = (text: string) => `\`${text}\``
