import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parquetReadObjects } from 'hyparquet'
import { CommandFailed } from '../../client/command-line/command-errors.ts'
import { readOptions } from '../../client/command-line/parse-options.ts'
import type { DownloadedFile } from '../../client/downloads/download.ts'
import type { ResultRow } from '../../client/results/result-row.ts'
import { firstSearch } from '../../local/samples/sample-data.ts'
import { countOf } from '../../schema/phrases.ts'
import { describeArguments, quoteWord } from '../command/cli-arguments.ts'
import { nameCommands } from '../command/packaged-service.ts'
import { openProgress } from '../command/progress.ts'
import { runCommand } from '../command/run-command.ts'
import { formatTable } from '../command/table.ts'
import { startSeededService } from './seeded-service.ts'

const usage = `
Runs one search from start to end on this machine: starts the service, loads the sample data, searches it with the command
line rate-search, which prints statistics, then downloads every file, and prints some of the rows.

Usage: npm run demo -- [--data <folder>]

  --data <folder>  where the demo keeps its data and results (default .data/demo)
  --help           print this
`

/** Columns that fit a terminal; the files have all of them. */
const shownColumns = [
  'plan',
  'npi',
  'provider_name',
  'provider_state',
  'billing_code',
  'negotiated_rate',
  'rate_unit',
  'flags',
]

const maxRows = 12

/** One code of the first search, whose statistics fit a terminal. */
const demoSearch = { ...firstSearch, billing_codes: ['99213'] }

await runCommand(usage, async () => {
  const { values } = readOptions({ options: { data: { type: 'string', default: join('.data', 'demo') } } })
  say('Starting the service: synthesising the stack, loading the sample data, running the bundles on local endpoints …')
  const { service, organizations } = await startService(values.data)
  try {
    const [organization] = organizations
    if (organization === undefined)
      throw new CommandFailed(
        `the data folder ${values.data} has no demo organization: remove it, or name another with --data`,
      )
    say(`The service is running at ${service.baseUrl}.`)
    const environment = {
      RATE_SEARCH_URL: service.baseUrl,
      RATE_SEARCH_KEY: organization.api_key,
      RATE_SEARCH_STATE: join(values.data, 'searches'),
    }
    const request = [...describeArguments(demoSearch), '--again']
    say('\nRates for an office visit in the two plans of the employer Harbor Foods:')
    say(await runRateSearch(['summary', ...request], environment))
    const output = await runRateSearch(['search', ...request, '--out', nextFolder(values.data), '--json'], environment)
    const { files }: { files: readonly DownloadedFile[] } = JSON.parse(output)
    const paths = files.map(({ path }) => path)
    describeRows((await Promise.all(paths.map(readRows))).flat(), paths)
  } finally {
    await service.close()
  }
})

/** Starts the service, which takes half a minute on a busy machine. */
async function startService(dataFolder: string) {
  using progress = openProgress()
  progress.showTime()
  return await startSeededService(dataFolder, 0)
}

/** Creates a folder for the files of one search: those of an earlier run must not be read with them. */
function nextFolder(dataFolder: string): string {
  const results = join(dataFolder, 'results')
  mkdirSync(results, { recursive: true })
  const last = Math.max(0, ...readdirSync(results).map(Number).filter(Number.isInteger))
  return join(results, String(last + 1))
}

function describeRows(rows: readonly ResultRow[], files: readonly string[]): void {
  say(`${countOf(rows.length, 'row')} in ${countOf(files.length, 'file')}; some of them:\n`)
  say(formatTable(shownColumns, pickEvenly(rows, maxRows)))
  say(`\nThe files, for DuckDB, pandas or Spark:\n${files.map((file) => `  ${file}`).join('\n')}`)
}

/** Picks rows spread over the whole result, so that more than the first provider is shown. */
function pickEvenly<Row>(rows: readonly Row[], count: number): readonly Row[] {
  const step = Math.max(1, Math.floor(rows.length / count))
  return rows.filter((_, index) => index % step === 0).slice(0, count)
}

function say(text: string): void {
  process.stdout.write(`${nameCommands(text)}\n`)
}

/** Runs the command line as a user would, shows the command and its progress, and returns what it prints. */
async function runRateSearch(args: readonly string[], environment: Readonly<Record<string, string>>): Promise<string> {
  say(`\n$ npm run rate-search -- ${args.map(quoteWord).join(' ')}`)
  const main = join(import.meta.dirname, `../../client/cli/main${extname(import.meta.filename)}`)
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output, [exitCode]] = await Promise.all([text(child.stdout), once(child, 'close')])
  if (exitCode !== 0) throw new CommandFailed(`rate-search ended with exit code ${exitCode}`)
  return output
}

async function readRows(path: string): Promise<readonly ResultRow[]> {
  const bytes = new Uint8Array(readFileSync(path))
  return await parquetReadObjects({ file: bytes.buffer })
}
