import { createWriteStream, existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { countOf } from '../../../schema/phrases.ts'
import { CommandFailed, UsageError } from '../../command-line/command-errors.ts'
import { Progress } from '../../command-line/progress.ts'
import { codeOf } from '../../errors.ts'
import { columnMeanings } from '../../results/column-meanings.ts'
import { cleanName, csvStart, writeCsvHeader, writeCsvLine } from '../../results/csv.ts'
import type { Command } from '../command.ts'
import { readArguments } from '../options.ts'
import { listColumnsOf, listResultFiles, readRowsOf } from '../result-files.ts'

/** Rows of a sheet. Source: Microsoft, "Excel specifications and limits". */
const maxSheetRows = 1_048_576

export const csvCommand: Command = {
  name: 'csv',
  summary: 'write downloaded results as one CSV file for a spreadsheet',
  usage: `
Converts the downloaded files of a result, of any size, to one CSV file for a spreadsheet, and writes a second file that
explains the columns. Ids and codes stay text ("=""001"""), a list is one cell, and text that looks like a formula gets
a leading apostrophe. For programs, the Parquet files are the better format.

Usage: rate-search csv <file or folder>... [--columns <names>] [--out <file>]

  --columns <names> write only these columns, in this order: plan,billing_code,negotiated_rate
  --out <file>      write to this file, which must not exist yet (default: rates.csv)
  --json            print the names of the files and the number of rows as JSON
  -q, --quiet       print no progress
  -h, --help        print this help

Examples:
  rate-search csv rates/
  rate-search csv rates/ --columns plan,billing_code,negotiated_rate,npi --out knees.csv
`,
  async run(args, world) {
    const options = { columns: { type: 'string' }, out: { type: 'string', default: 'rates.csv' } } as const
    const { values, positionals } = readArguments(args, options, true)
    const files = await listResultFiles(positionals)
    const [first] = files
    if (first === undefined) throw new UsageError('give the files of a result, or their folder')
    const fileColumns = await listColumnsOf(first)
    const columns = values.columns?.split(',').map((name) => name.trim()) ?? fileColumns
    const names = new Set(fileColumns)
    const unknown = columns.filter((name) => !names.has(name))
    if (unknown.length > 0)
      throw new UsageError(
        `--columns: the result has no column ${unknown.join(', ')}; it has ${fileColumns.join(', ')}`,
      )
    const dictionary = values.out.replace(/(\.csv)?$/i, '-columns.csv')
    for (const path of [values.out, dictionary])
      if (existsSync(path)) throw new UsageError(`--out: ${path} already exists; name another file`)
    const progress = new Progress(world, values.quiet)
    let rows = 0
    const writeRows = async function* () {
      yield csvStart + writeCsvHeader(columns)
      for (const file of files)
        for await (const block of readRowsOf(file, columns)) {
          world.signal.throwIfAborted()
          rows += block.length
          yield block.map((row) => writeCsvLine(columns, row)).join('')
          progress.show(() => `${rows.toLocaleString('en-US')} rows`)
        }
    }
    try {
      await writeWhole(values.out, writeRows())
      await writeWhole(dictionary, [describeColumns(columns)])
    } finally {
      progress.end()
    }
    const facts = { file: values.out, columns_file: dictionary, rows }
    const tooMany = rows < maxSheetRows ? '' : '; a sheet of Excel holds only 1,048,575 rows'
    const text = `${countOf(rows, 'row')} in ${values.out}, columns explained in ${dictionary}${tooMany}`
    world.output.write(values.json ? `${JSON.stringify(facts)}\n` : `${text}\n`)
  },
}

/** Returns the meanings of columns as CSV. */
function describeColumns(columns: readonly string[]): string {
  const head = ['column', 'meaning']
  const lines = columns.map((column) =>
    writeCsvLine(head, { column: cleanName(column), meaning: columnMeanings[column] }),
  )
  return [csvStart, writeCsvHeader(head), ...lines].join('')
}

/**
 * Writes a file under a temporary name and renames it once it is complete. A failure leaves nothing behind.
 *
 * @throws CommandFailed, or the error of the iterable that makes the texts
 */
async function writeWhole(path: string, texts: Iterable<string> | AsyncIterable<string>): Promise<void> {
  const part = `${path}.part`
  try {
    await pipeline(texts, createWriteStream(part))
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true })
    const code = codeOf(error)
    throw code === undefined ? error : new CommandFailed(`${path} cannot be written: ${code}`)
  }
}
