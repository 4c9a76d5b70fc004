import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parquetReadObjects } from 'hyparquet'
import type { DownloadedFile } from '../client/downloads/download.ts'
import { countOf } from '../loader/run/load-report.ts'
import { largeSearch } from '../local/samples/sample-data.ts'
import { describeArguments, quoteWord } from './command/cli-arguments.ts'
import { CommandFailed } from './command/errors.ts'
import { startLocalService } from './command/local-service.ts'
import { readOptions } from './command/options.ts'
import { runCommand } from './command/run-command.ts'
import { seedOnce } from './command/seed.ts'
import { formatTable } from './command/table.ts'

const usage = `
Runs one search from start to end on this machine: starts the service, loads the sample data, searches it with the command
line rate-search, which downloads every file, and prints the rows.

Usage: npm run demo -- [--data <folder>]

  --data <folder>  where the demo keeps its data and results (default .data/demo)
  --help           print this
`

/** Only the columns that fit a terminal; the files have all of them. */
const shownColumns = [
  'plan',
  'npi',
  'billing_code_type',
  'billing_code',
  'negotiated_rate',
  'rate_unit',
  'billing_class',
  'tin_value',
]

const maxRows = 20

await runCommand(usage, async () => {
  const { values } = readOptions({ options: { data: { type: 'string', default: join('.data', 'demo') } } })
  say('Starting the service: synthesising the stack, running its bundles on local endpoints …')
  const service = await startLocalService(values.data, 0)
  try {
    say(`The service is running at ${service.baseUrl}. Loading the sample data …`)
    const [organization] = await seedOnce(service, values.data)
    if (organization === undefined)
      throw new CommandFailed('the data folder has no demo organization; remove it and try again')
    const results = join(values.data, 'results')
    const args = ['search', ...describeArguments(largeSearch), '--out', results, '--again', '--json']
    say(`\n$ npm run rate-search -- ${args.map(quoteWord).join(' ')}`)
    const files = await search(args, {
      RATE_SEARCH_URL: service.baseUrl,
      RATE_SEARCH_KEY: organization.api_key,
      RATE_SEARCH_STATE: join(values.data, 'searches'),
    })
    const rows = (await Promise.all(files.map(readRows))).flat()
    say(`\n${countOf(rows.length, 'row')} in ${countOf(files.length, 'file')}; some of them:\n`)
    say(formatTable(shownColumns, pickEvenly(rows, maxRows)))
    say(`\nThe files, for DuckDB, pandas or Spark:\n${files.map((file) => `  ${file}`).join('\n')}`)
  } finally {
    await service.close()
  }
})

/** Picks rows spread over the whole result, so that more than the first provider is shown. */
function pickEvenly<Row>(rows: readonly Row[], count: number): readonly Row[] {
  const step = Math.max(1, Math.floor(rows.length / count))
  return rows.filter((_, index) => index % step === 0).slice(0, count)
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Runs the command line as a user would, and returns the paths of the files. Its progress is shown. */
async function search(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const main = join(import.meta.dirname, '../client/cli/main.ts')
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output, [exitCode]] = await Promise.all([text(child.stdout), once(child, 'close')])
  if (exitCode !== 0) throw new CommandFailed(`rate-search ended with exit code ${exitCode}`)
  const { files }: { files: readonly DownloadedFile[] } = JSON.parse(output)
  return files.map(({ path }) => path)
}

async function readRows(path: string): Promise<readonly Record<string, unknown>[]> {
  const bytes = new Uint8Array(readFileSync(path))
  return await parquetReadObjects({ file: bytes.buffer })
}
