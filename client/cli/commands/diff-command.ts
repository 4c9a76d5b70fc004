import { CommandFailed, UsageError } from '../../command-line/command-errors.ts'
import { type Comparison, compareResults } from '../../results/compare-results.ts'
import { NotComparable } from '../../results/not-comparable.ts'
import { comparedColumns } from '../../results/price-index.ts'
import { writeChangesFile } from '../changes-file.ts'
import { writeChangesCsv, writeComparison, writeComparisonJson } from '../changes-output.ts'
import type { Command } from '../command.ts'
import { readArguments } from '../options.ts'
import { listResultFiles, readRowsOf } from '../result-files.ts'

export const diffCommand: Command = {
  name: 'diff',
  summary: 'say what changed between two downloaded results',
  usage: `
Compares two downloaded results of the same plans and filters, such as those of two months (search --as-of). First it
says how the prices changed that both results have, then it lists the changes, the biggest first, then added and removed
prices. Prices are matched by plan and price_key; by price_key alone if no plan is in both results.

Usage: rate-search diff <old file or folder> <new file or folder> [--all] [--csv] [--out <file>]

  --all         print all changes, not only the first 20
  --csv         print all changes as CSV for a spreadsheet
  --out <file>  write all changes as Parquet to this file, which must not exist yet
  --json        print the sentence, the figures of plans and codes, and all changes as JSON
  -h, --help    print this help

Exit codes: 0 compared, whether or not a price changed, 1 the results cannot be read or compared, 2 wrong arguments,
130 stopped by Ctrl-C.

Examples:
  rate-search diff rates-october/ rates-november/
  rate-search diff rates-october/ rates-november/ --all
  rate-search diff rates-october/ rates-november/ --out changes.parquet
`,
  async run(args, world) {
    const flag = { type: 'boolean', default: false } as const
    const { values, positionals } = readArguments(args, { out: { type: 'string' }, all: flag, csv: flag }, true)
    const [older, newer, ...others] = positionals
    if (older === undefined || newer === undefined || others.length > 0)
      throw new UsageError('give two results, the older first')
    if (values.csv && values.json) throw new UsageError('--csv and --json exclude each other')
    const readBlocks = async function* (path: string) {
      for (const file of await listResultFiles([path]))
        for await (const rows of readRowsOf(file, comparedColumns)) {
          world.signal.throwIfAborted()
          yield rows
        }
    }
    const comparison = await compareResults(readBlocks(older), readBlocks(newer)).catch((error: unknown) => {
      throw error instanceof NotComparable ? new CommandFailed(error.message) : error
    })
    if (values.out !== undefined) await writeChangesFile(values.out, comparison.changes)
    for (const text of writeOutput(comparison, values)) world.output.write(text)
  },
}

function writeOutput(
  comparison: Comparison,
  { json, csv, all }: { readonly json: boolean; readonly csv: boolean; readonly all: boolean },
): Iterable<string> {
  if (json) return writeComparisonJson(comparison)
  return csv ? writeChangesCsv(comparison) : [writeComparison(comparison, all)]
}
