import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { RateSearchClient } from '../client/rate-search-client.ts'
import type { SearchBody } from '../contract/search-api.ts'
import { largeSearch } from '../local/samples/sample-data.ts'
import { CommandFailed } from './command/errors.ts'
import { startLocalService } from './command/local-service.ts'
import { readOptions } from './command/options.ts'
import { runCommand } from './command/run-command.ts'
import { seedOnce } from './command/seed.ts'
import { formatTable } from './command/table.ts'

const usage = `
Runs one search from start to end on this machine: starts the service, loads the sample data, posts a search, polls it
until it is completed, downloads every shard and prints the rows.

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

const mostRows = 20

await runCommand(usage, async () => {
  const { values } = readOptions({ options: { data: { type: 'string', default: join('.data', 'demo') } } })
  say('Starting the service: synthesising the stack, running its bundles on local endpoints …')
  const service = await startLocalService(values.data, 0)
  try {
    say(`The service is running at ${service.baseUrl}. Loading the sample data …`)
    const [organization] = await seedOnce(service, values.data)
    if (organization === undefined)
      throw new CommandFailed('the data folder has no demo organization; remove it and try again')
    const client = new RateSearchClient({ url: service.baseUrl, key: organization.api_key })

    say(`\nPOST /v1/searches\n${JSON.stringify(largeSearch, null, 2)}`)
    const created = await client.create(largeSearch)
    showState(created)
    let last: SearchBody = created
    for await (const search of client.follow(created.job_id, { pollSeconds: 0.05 })) {
      if (search.status !== last.status) showState(search)
      last = search
    }
    if (last.status !== 'completed')
      throw new CommandFailed(last.status === 'failed' ? last.error : 'the job did not end')

    const downloaded = await client.download(last.job_id, join(values.data, 'results'))
    const files = downloaded.map(({ path }) => path)
    const rows = (await Promise.all(files.map(readRows))).flat()
    say(`\n${rows.length} rows in ${files.length} ${files.length === 1 ? 'file' : 'files'}; some of them:\n`)
    say(formatTable(shownColumns, pickEvenly(rows, mostRows)))
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

function showState(search: SearchBody): void {
  say(`\n${search.status} (job ${search.job_id})`)
  if (search.status !== 'completed') return
  say(
    `  completed_at ${search.completed_at}\n  ${search.download_urls.length} download_urls, valid until ${search.expires_at}`,
  )
}

async function readRows(path: string): Promise<readonly Record<string, unknown>[]> {
  const bytes = new Uint8Array(readFileSync(path))
  return await parquetReadObjects({ file: bytes.buffer })
}
