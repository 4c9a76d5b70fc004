import type { Column, ColumnType } from '../core/rates.ts'
import { ratesColumns, sourceIdColumn } from '../core/rates.ts'
import { providerGroupKey, warehouseTables } from '../core/warehouse.ts'
import { hiveType, trinoType } from '../lib/rates-view.ts'

const types = [...new Set(ratesColumns.map(({ type }) => type))]

/** The page about a result's row and the tables under it, in Markdown, made from the columns that the service works with. */
export function describeSchema(): string {
  return [
    '# A result’s row',
    'Written by `npm run schema` from `core/rates.ts`: change it there.',
    `A result is Parquet files of ${ratesColumns.length} columns, all files of all jobs with the same ones in this order. One row is one published price × one TIN of its
provider group × one NPI × one fee schedule. Count prices by \`price_id\`, never by rows, and never aggregate over different \`rate_unit\` or
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
    `Source fields are those of the CMS in-network file, schema 2.x. "Null no" is meaning only: in Parquet every column is OPTIONAL, as Athena writes it. A list is
NULL where nothing was published, never empty.`,
    '## Physical types',
    tableOf(
      ['type', 'in Parquet', 'in Glue'],
      types.map((type) => [code(trinoType(type)), physicalTypes[type], code(hiveType(type))]),
    ),
    '## The tables underneath',
    `\`rates\` is a view that joins three tables on \`${sourceIdColumn}\`, the partition of all three (one loaded file), and on \`${providerGroupKey.name}\`,
the provider group within its source.`,
    tableOf(
      ['table', 'one row is', 'columns', 'sorted by'],
      warehouseTables.map(({ name, grain, columns, sortedBy }) => [
        code(name),
        grain,
        columns.map((column) => code(column.name)).join(', '),
        sortedBy.map(code).join(', '),
      ]),
    ),
    '## A relation of your own',
    `A stage with a warehouse of its own needs a table or view \`rates\` with at least ${ratesColumns
      .filter(({ required }) => required)
      .map(({ name }) => code(name))
      .join(
        ', ',
      )}. [own-relation.md](own-relation.md) has the form of their values, and how they are checked and described.`,
  ]
    .map((part) => `${part}\n`)
    .join('\n')
}

/** How Athena writes each type. Source: files of Trino 411 and 476, in test/fixtures/trino-parquet. */
const physicalTypes: Readonly<Record<ColumnType, string>> = {
  varchar: 'BYTE_ARRAY (String)',
  bigint: 'INT64',
  integer: 'INT32',
  'decimal(18,4)': 'FIXED_LEN_BYTE_ARRAY(8) (Decimal)',
  date: 'INT32 (Date)',
  'varchar ARRAY': 'LIST of BYTE_ARRAY (String)',
}

/** A path of the file is code; `computed` and the like are words. */
const describeSource = ({ sourceField }: Column) => (/[_[]/.test(sourceField) ? code(sourceField) : sourceField)

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

const code = (text: string) => `\`${text}\``
