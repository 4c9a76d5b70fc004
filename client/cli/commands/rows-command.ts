import { rowPages, writeLimit } from '../../../contract/limits.ts'
import { countOf, formatNumber } from '../../../schema/phrases.ts'
import type { ResultRows } from '../../api.ts'
import { UsageError } from '../../command-line/command-errors.ts'
import { readNumber } from '../../command-line/parse-options.ts'
import { formatTable } from '../../command-line/table.ts'
import { writeCsvLines } from '../../results/csv.ts'
import type { ResultRow } from '../../results/result-row.ts'
import { readExactRows } from '../../results/rows-answer.ts'
import { isSummary, tableCell, tabulateSummary } from '../../results/summary-rows.ts'
import { type Command, sharedUsage, withSession } from '../command.ts'
import { readArguments, readJobId } from '../options.ts'
import { partOptions, readColumns } from '../search-request.ts'

/** Columns of a table of rates for which no columns are asked: what tells prices apart, and fits on a terminal. */
const shownColumns: readonly string[] = [
  'plan',
  'billing_code',
  'billing_code_modifier',
  'name',
  'negotiated_rate',
  'rate_unit',
  'billing_class',
  'npi',
  'tin_value',
]

export const rowsCommand: Command = {
  name: 'rows',
  summary: 'print some rows of a result, or a whole summary, without a download',
  usage: `
Prints up to ${writeLimit(rowPages.max)} rows of a completed search, without a download: any rows of a result, in no order, or the rows of a
summary in their order. For all rows of a result, use rate-search download.

Usage: rate-search rows <job id> [--columns <names>] [--limit <n>] [--csv]

  --columns <names> only these columns, with commas (default: some in a table of rates, else all)
  --limit <n>       at most n rows, 1 to ${writeLimit(rowPages.max)} (default: ${rowPages.default})
  --csv             print CSV for a spreadsheet
${sharedUsage}

Examples:
  rate-search rows 2a39443a-064f-4d78-b562-c11683209ccf --limit 10
  rate-search rows 2a39443a-064f-4d78-b562-c11683209ccf --columns plan,billing_code,negotiated_rate --csv
`,
  async run(args, world) {
    const options = { ...partOptions, csv: { type: 'boolean', default: false } } as const
    const { values, positionals } = readArguments(args, options, true)
    if (values.csv && values.json) throw new UsageError('--csv and --json exclude each other')
    const jobId = readJobId(positionals)
    const columns = readColumns(values.columns)
    const limit = values.limit === undefined ? undefined : readNumber('--limit', values.limit, 1, rowPages.max)
    await withSession(world, values, async ({ client, progress, asJson }) => {
      const part = { ...(columns && { columns }), ...(limit !== undefined && { limit }) }
      const answer = await client.rows(jobId, part, { signal: world.signal })
      progress.end()
      const rows = readExactRows(answer)
      const names = answer.columns.map(({ name }) => name)
      let joined = ''
      if (asJson) world.output.write(`${JSON.stringify(answer)}\n`)
      else if (values.csv) {
        for (const line of writeCsvLines(names, rows)) world.output.write(line)
      } else {
        const table = tabulate(answer, rows, columns ?? chooseColumns(answer, names))
        world.output.write(`${formatTable(table.columns, table.cells)}\n`)
        joined = table.joined
      }
      progress.say(`${describeAnswer(answer)}${joined}`)
    })
  },
}

/** Returns the columns of a table for which none are asked. */
function chooseColumns({ summary }: ResultRows, names: readonly string[]): readonly string[] {
  if (summary !== undefined) return names
  const shown = shownColumns.filter((name) => names.includes(name))
  return shown.length === 0 ? names : shown
}

function tabulate({ summary }: ResultRows, rows: readonly ResultRow[], columns: readonly string[]) {
  // A summary without the columns of its statistics is a list of what it is about.
  if (summary !== undefined && isSummary(columns)) return tabulateSummary(rows, columns)
  return {
    columns: columns.map((name) => name.toUpperCase()),
    cells: rows.map((row) => columns.map((name) => tableCell(row[name]))),
    joined: '',
  }
}

function describeAnswer({ job_id, rows, rows_total, truncated, ordered }: ResultRows): string {
  const count = `${countOf(rows.length, 'row')} of ${formatNumber(rows_total)}`
  const order = ordered ? '' : ', in no order'
  const advice = truncated && !ordered ? `; rate-search download ${job_id} fetches all` : ''
  return `${count}${order}${advice}`
}
