import { at } from '../../../schema/at.ts'
import { formatNumber } from '../../../schema/phrases.ts'
import { CommandFailed, UsageError } from '../../command-line/command-errors.ts'
import type { World } from '../../command-line/world.ts'
import { type ComparedSearch, requireComparable } from '../../results/comparison/comparable-requests.ts'
import { compareResults } from '../../results/comparison/compare-results.ts'
import { compareSummaries, requireSameDimensions, type Summary } from '../../results/comparison/compare-summaries.ts'
import { NotComparable } from '../../results/comparison/not-comparable.ts'
import { comparedColumns } from '../../results/comparison/price-index.ts'
import { writeCsvLines } from '../../results/csv.ts'
import type { ResultRow } from '../../results/result-row.ts'
import { isSummary } from '../../results/summary-rows.ts'
import { writeChangesFile } from '../changes-file.ts'
import { type PrintedComparison, printPrices, printSummaries, writeJson, writeTables } from '../changes-output.ts'
import type { Command } from '../command.ts'
import { readArguments } from '../options.ts'
import { listColumnsOf, listResultFiles, readRowsOf } from '../result-files.ts'
import { readSearches } from '../saved-searches.ts'

/** Maximum number of rows of a summary, at about 2 kB a row. */
const maxSummaryRows = 200_000

export const diffCommand: Command = {
  name: 'diff',
  summary: 'say what changed between two downloaded results',
  usage: `
Compares two downloaded results of the same plans and filters, such as those of two months (search --as-of). First it
says how the prices changed that both results have, then it lists the changes, the biggest first, then added and removed
prices. Prices are matched by plan and price_key; by price_key alone if no plan is in both results.

Two downloaded summaries are compared by the medians of their rows: two days of the same plans, or two plans.

Searches that asked for other codes, providers, weights or dimensions are refused: only days and plans may differ. The
manifest that rate-search download saves beside the files says what was asked for.

Usage: rate-search diff <old file or folder> <new file or folder> [--all] [--csv] [--out <file>] [--unknown-requests]

  --all               print all changes, not only the first 20
  --csv               print all changes as CSV for a spreadsheet
  --out <file>        write all changes as Parquet to this file, which must not exist yet
  --unknown-requests  also compare files without a manifest beside them: you know that both searches asked for the same
  --json              print the sentence, the figures of plans and codes, and all changes as JSON
  -h, --help          print this help

Exit codes: 0 compared, whether or not a price changed, 1 the results cannot be read or compared, 2 wrong arguments,
130 stopped by Ctrl-C.

Examples:
  rate-search diff rates-october/ rates-november/
  rate-search diff rates-october/ rates-november/ --all
  rate-search diff rates-october/ rates-november/ --out changes.parquet
`,
  async run(args, world) {
    const flag = { type: 'boolean', default: false } as const
    const { values, positionals } = readArguments(
      args,
      { out: { type: 'string' }, all: flag, csv: flag, 'unknown-requests': flag },
      true,
    )
    const [older, newer, ...others] = positionals
    if (older === undefined || newer === undefined || others.length > 0)
      throw new UsageError('give two results, the older first')
    if (values.csv && values.json) throw new UsageError('--csv and --json exclude each other')
    const results = [await openResult(older, world), await openResult(newer, world)] as const
    const [before, after] = results
    if (before.isSummary !== after.isSummary)
      throw new UsageError('one result is a summary, and the other has rows: give two of a kind')
    if (before.isSummary && values.out !== undefined)
      throw new UsageError('--out writes changes of prices: print those of summaries with --csv or --json')
    try {
      if (!values['unknown-requests']) requireSearches(results)
      requireSameSearch(results)
      if (before.isSummary) await compareMedians(results, values, world)
      else await comparePrices(results, values, world)
    } catch (error) {
      throw error instanceof NotComparable ? new CommandFailed(error.message) : error
    }
  },
}

interface Printing {
  readonly json: boolean
  readonly csv: boolean
  readonly all: boolean
}

/** A downloaded result. */
interface OpenResult {
  readonly path: string
  readonly isSummary: boolean
  readonly columns: readonly string[]
  /** The searches of its files; undefined if one is not saved beside them. */
  readonly searches: readonly ComparedSearch[] | undefined
  /** Reads columns of its files in blocks, until the command is stopped. */
  readonly readBlocks: (columns: readonly string[]) => AsyncGenerator<readonly ResultRow[]>
}

async function openResult(path: string, { signal }: World): Promise<OpenResult> {
  const files = await listResultFiles([path])
  const columns = await listColumnsOf(at(files, 0))
  return {
    path,
    isSummary: isSummary(columns),
    columns,
    searches: await readSearches(files),
    async *readBlocks(names) {
      for (const file of files)
        for await (const rows of readRowsOf(file, names)) {
          signal.throwIfAborted()
          yield rows
        }
    },
  }
}

type Results = readonly [older: OpenResult, newer: OpenResult]

/** @throws NotComparable if the searches did not ask for the same, as far as they are known */
function requireSameSearch([older, newer]: Results): void {
  for (const before of older.searches ?? []) for (const after of newer.searches ?? []) requireComparable(before, after)
}

/**
 * Requires that both results say what their searches asked for: other filters look like changes.
 *
 * @throws NotComparable naming the results that do not
 */
function requireSearches(results: Results): void {
  const unknown = results.filter(({ searches }) => searches === undefined)
  if (unknown.length > 0)
    throw new NotComparable(
      `no manifest beside the files of ${unknown.map(({ path }) => path).join(' and ')} says what the search asked for, and other filters would look like changes: download the result again, or if both searches asked for the same, add --unknown-requests`,
    )
}

async function comparePrices(
  [older, newer]: Results,
  options: Printing & { readonly out?: string },
  { output }: World,
) {
  const comparison = await compareResults(older.readBlocks(comparedColumns), newer.readBlocks(comparedColumns))
  if (options.out !== undefined) await writeChangesFile(options.out, comparison.changes)
  for (const text of writeOutput(printPrices(comparison), comparison.changes, options)) output.write(text)
}

async function compareMedians([older, newer]: Results, options: Printing, { output }: World) {
  const [before, after] = [await readSummary(older), await readSummary(newer)]
  if (older.searches === undefined || newer.searches === undefined) requireSameDimensions(before, after)
  const comparison = compareSummaries(before, after)
  for (const text of writeOutput(printSummaries(comparison), comparison.changes, options)) output.write(text)
}

async function readSummary({ columns, readBlocks }: OpenResult): Promise<Summary> {
  const rows: ResultRow[] = []
  for await (const block of readBlocks(columns)) {
    for (const row of block) rows.push(row)
    if (rows.length > maxSummaryRows)
      throw new NotComparable(
        `a summary has more than ${formatNumber(maxSummaryRows)} rows: ask for fewer codes or dimensions`,
      )
  }
  return { columns, rows }
}

function writeOutput(
  comparison: PrintedComparison,
  changes: Parameters<typeof writeJson>[1],
  { json, csv, all }: Printing,
): Iterable<string> {
  if (json) return writeJson(comparison, changes)
  const { columns, rows } = comparison.listing
  return csv ? writeCsvLines(columns, rows) : [writeTables(comparison, all)]
}
