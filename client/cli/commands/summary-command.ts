import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultWeight, maxRanks, summaryDimensions, summaryWeights } from '../../../contract/summaries.ts'
import { countOf, formatNumber, nameSome } from '../../../schema/phrases.ts'
import type { Summary } from '../../api.ts'
import { CommandFailed, UsageError } from '../../command-line/command-errors.ts'
import { formatTable, maxShownNames } from '../../command-line/table.ts'
import { writeCsvLines } from '../../results/csv.ts'
import type { ResultRow } from '../../results/result-row.ts'
import { plainValue, sortSummary, tabulateSummary } from '../../results/summary-rows.ts'
import { type Command, type Session, sharedUsage, withSession } from '../command.ts'
import { connect, readAccess, readArguments } from '../options.ts'
import { listColumnsOf, readRowsOf } from '../result-files.ts'
import { saveSearch } from '../saved-searches.ts'
import { boundOptions, boundUsage, filterOptions, nameSearch, readBound, readSearchRequest } from '../search-request.ts'
import { removeOldStates, SearchStateFile } from '../search-state.ts'
import { describeCut, followSearch, prepareFolder, warnOfOthers } from './finish-search.ts'
import { chooseReuse, filterUsage, reuseOptions, reuseUsage } from './search-command.ts'
import { startOnce } from './start-search.ts'

const usage = `
Prints statistics of rates: for each plan, code, terms and place of service the number of values, percentiles, and the
doubtful prices that are left out. The service computes them, so no rows are downloaded.

Usage: rate-search summary --payer <name> --plan <name> [--code <list>] [--npi <list>] [--by <dimensions>]
                           [--weight ${summaryWeights.join('|')}] [--csv] [--out <folder>]

${filterUsage}
  --by <list>       divide rows by these, too: ${summaryDimensions.join(', ')}
  --weight <what>   what counts once for each amount: ${summaryWeights.join(', ')} (default: ${defaultWeight})
  --include-doubtful  count placeholders and outliers, which are left out otherwise
  --count-providers   count the distinct NPIs of each row
  --highest <n>     only the first n rows of each plan, code, modifiers, unit and class by their medians, with ties
  --lowest <n>      the same, the lowest first
${boundUsage}
  --csv             print CSV for a spreadsheet, with all columns
  --out <folder>    download the summary's Parquet files to this folder, too, such as for rate-search diff
  --fail-if-empty   exit with 3 if the summary has no rows
${reuseUsage}
${sharedUsage}

Rows over places, states and networks overlap: never add them up. Like a search, the same command continues after
Ctrl-C, and prints the same summary again while the service keeps it.

Examples:
  rate-search summary --payer 'Blue Harbor Health' --plan 'Harbor PPO Gold' --code 99213
  rate-search summary --payer 'Blue Harbor Health' --plan 'Harbor PPO Gold' --code 99213,27447 --by network --csv
  rate-search summary --plan-id 00-1234567 --code 73721 --weight npis --json
  rate-search summary --plan-id 00-1234567 --code 73721 --by tin --highest 10
`

export const summaryCommand: Command = {
  name: 'summary',
  summary: 'print statistics of rates: percentiles by plan, code, terms and place',
  usage,
  async run(args, world) {
    const flag = { type: 'boolean', default: false } as const
    const { values, tokens } = readArguments(args, {
      ...filterOptions,
      ...boundOptions,
      ...reuseOptions,
      by: { type: 'string', multiple: true },
      weight: { type: 'string' },
      'include-doubtful': flag,
      'count-providers': flag,
      highest: { type: 'string' },
      lowest: { type: 'string' },
      csv: flag,
      out: { type: 'string' },
      'fail-if-empty': flag,
    })
    if (values.csv && values.json) throw new UsageError('--csv and --json exclude each other')
    const access = readAccess(world, values.url)
    const filters = await readSearchRequest(values, tokens, world)
    const request = { ...filters, ...readBound(values), summary: readSummary(values) }
    const state = new SearchStateFile(world, nameSearch(access, request))
    await removeOldStates(world)
    if (values.out !== undefined) await prepareFolder(values.out)
    await withSession(world, values, async (session) => {
      const estimator = connect(access, { retries: 0, timeoutSeconds: 5 })
      const reuse = chooseReuse(values.again, values['if-newer'])
      const { jobId, estimate } = await startOnce(session, request, { estimator, file: state, reuse })
      const { truncated } = await followSearch(session, jobId, estimate)
      const { columns, rows, files } = await fetchSummary(session, jobId, values.out)
      print(session, { jobId, summary: request.summary, columns, rows, files, asCsv: values.csv })
      if (truncated) session.progress.warn(describeCut(request.summary))
      if (rows.length === 0 && values['fail-if-empty']) throw new CommandFailed(`search ${jobId} found no rows`, 3)
    })
  },
}

interface SummaryValues {
  readonly by?: readonly string[] | undefined
  readonly weight?: string | undefined
  readonly 'include-doubtful': boolean
  readonly 'count-providers': boolean
  readonly highest?: string | undefined
  readonly lowest?: string | undefined
}

function readSummary({ by = [], weight: written = defaultWeight, ...flags }: SummaryValues) {
  const weight = summaryWeights.find((each) => each === written)
  if (weight === undefined)
    throw new UsageError(`--weight must be one of ${summaryWeights.join(', ')}, not "${written}"`)
  const words = by.flatMap((list) => list.split(',')).map((word) => word.trim())
  const unknown = words.filter((word) => !summaryDimensions.some((dimension) => dimension === word))
  if (unknown.length > 0)
    throw new UsageError(
      `--by takes ${summaryDimensions.join(', ')}, not ${unknown.map((word) => `"${word}"`).join(', ')}`,
    )
  return {
    weight,
    by: summaryDimensions.filter((dimension) => words.includes(dimension)),
    ...(flags['include-doubtful'] && { include_doubtful: true }),
    ...(flags['count-providers'] && { count_providers: true }),
    ...readFirstRows(flags),
  } satisfies Summary
}

/** Reads how many rows of each code, plan and class are wanted, and from which end. */
function readFirstRows({ highest, lowest }: Pick<SummaryValues, 'highest' | 'lowest'>) {
  if (highest !== undefined && lowest !== undefined) throw new UsageError('--highest and --lowest exclude each other')
  const written = highest ?? lowest
  if (written === undefined) return {}
  const order = highest === undefined ? 'lowest' : 'highest'
  const limit = /^\d{1,4}$/.test(written) ? Number(written) : 0
  if (limit < 1 || limit > maxRanks)
    throw new UsageError(`--${order} must be a number from 1 to ${formatNumber(maxRanks)}, not "${written}"`)
  return { order, limit } as const
}

/**
 * Downloads a completed summary, and reads its columns and rows in the order in which they are printed.
 *
 * @param out folder that keeps its files @default - none
 */
async function fetchSummary(session: Session, jobId: string, out: string | undefined) {
  const { client, progress, world } = session
  if (out !== undefined) {
    const files = await client.download(jobId, out, { signal: world.signal })
    await saveSearch(out, await client.completedManifest(jobId, { signal: world.signal }))
    const paths = files.map(({ path }) => path)
    progress.say(`saved as ${nameSome(paths, maxShownNames)}`)
    await warnOfOthers(session, out, files)
    return { ...(await readSummaryRows(paths)), files }
  }
  const folder = await mkdtemp(join(tmpdir(), 'rate-search-summary-'))
  try {
    const files = await client.download(jobId, folder, { signal: world.signal })
    return { ...(await readSummaryRows(files.map(({ path }) => path))), files: undefined }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function readSummaryRows(paths: readonly string[]) {
  const rows: ResultRow[] = []
  let columns: readonly string[] = []
  for (const path of paths) {
    columns = await listColumnsOf(path)
    for await (const block of readRowsOf(path, columns)) rows.push(...block)
  }
  return { columns, rows: sortSummary(rows, columns) }
}

interface Printed {
  readonly jobId: string
  readonly summary: Summary
  readonly columns: readonly string[]
  readonly rows: readonly ResultRow[]
  /** The files that are kept; undefined if none are. */
  readonly files: readonly object[] | undefined
  readonly asCsv: boolean
}

function print({ world, progress, asJson }: Session, printed: Printed): void {
  const { jobId, summary, columns, rows, files, asCsv } = printed
  progress.end()
  if (asJson) {
    const plainRows = rows.map((row) => Object.fromEntries(columns.map((name) => [name, plainValue(row[name])])))
    world.output.write(`${JSON.stringify({ job_id: jobId, summary, files, rows: plainRows })}\n`)
    return
  }
  if (asCsv) {
    for (const line of writeCsvLines(columns, rows)) world.output.write(line)
    return
  }
  const table = tabulateSummary(rows, columns)
  world.output.write(`${formatTable(table.columns, table.cells)}\n`)
  const common = table.common.length === 0 ? '' : `; all have ${table.common.join(', ')}`
  progress.say(`${countOf(table.cells.length, 'row')}, counted by ${summary.weight}${table.joined}${common}`)
}
