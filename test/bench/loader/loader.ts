import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { formatTable } from '../../../bin/command/table.ts'
import { UsageError } from '../../../client/command-line/command-errors.ts'
import { readOptions } from '../../../client/command-line/parse-options.ts'
import { heapArguments } from '../../../loader/publish/workers/file-workers.ts'
import { quantile } from '../statistics.ts'
import { type GeneratedShape, generateInNetworkFile, groupShapes } from './generate-in-network-file.ts'

/** The measurements of one run in a separate process. */
export interface RunMeasure {
  readonly seconds: number
  /** Number of prices read. */
  readonly prices: number
  /** Number of rows in `rates`; undefined for runs that only read. */
  readonly rates?: number
}

/** Megabytes from which a generated file has an element longer than the longest possible string. */
const largeItemFrom = 1000
const largeItemSize = 650

/** A measured load: a role of `loader-run.ts`, the files that it reads, and the number of workers that read them. */
interface Candidate {
  readonly what: string
  readonly role: 'parse' | 'duckdb' | 'load'
  readonly files: readonly string[]
  readonly workers: number
}

/** Prints how fast and with how much memory the loader reads a generated file, compared with JSON.parse and DuckDB. */
export async function benchLoader(args: readonly string[]): Promise<void> {
  const { values } = readOptions({
    args: [...args],
    options: {
      size: { type: 'string', default: '200' },
      large: { type: 'string', default: '0' },
      groups: { type: 'string', default: 'referenced' },
      workers: { type: 'string', default: '0' },
      rounds: { type: 'string', default: '3' },
      seed: { type: 'string', default: '1' },
    },
  })
  const [size, large] = [readNumber(values.size), readNumber(values.large)]
  const [workers, roundCount] = [readNumber(values.workers), readNumber(values.rounds)]
  const groups = readShape(values.groups)
  const folder = await mkdtemp(join(tmpdir(), 'bench-loader-'))
  try {
    const write = async (name: string, megabytes: number, largeItem = 0) => {
      await generateInNetworkFile(join(folder, name), { megabytes, groups, largeItem, seed: Number(values.seed) })
      return join(folder, name)
    }
    const files = [await write('rates.json', size)]
    const candidates: Candidate[] = [
      { what: 'JSON.parse', role: 'parse', files, workers: 1 },
      { what: 'DuckDB read_json', role: 'duckdb', files, workers: 1 },
      { what: 'loader', role: 'load', files, workers: 1 },
    ]
    if (large > 0) {
      const file = await write('large.json', large, large >= largeItemFrom ? largeItemSize : 0)
      candidates.push({ what: 'loader, large file', role: 'load', files: [file], workers: 1 })
    }
    if (workers > 0) {
      const many: string[] = []
      // Files of different sizes are different files.
      for (let index = 0; index < 2 * workers; index++) many.push(await write(`rates-${index}.json`, size + index))
      const what = `loader, ${many.length} files`
      candidates.push({ what, role: 'load', files: many, workers: 1 })
      candidates.push({ what: `${what}, ${workers} workers`, role: 'load', files: many, workers })
    }
    const rounds: (readonly Measured[])[] = []
    for (let round = 0; round < roundCount; round++) {
      const measured: Measured[] = []
      for (const candidate of candidates) measured.push(await measure(candidate, folder))
      rounds.push(measured)
    }
    const columns = ['what', 'MB', 'MB/s', 'of JSON.parse', 'prices/s', 'rates/s', 'peak MB']
    process.stdout.write(
      `${formatTable(
        columns,
        candidates.map(({ what }, position) => summarise(what, rounds, position)),
      )}\n`,
    )
  } finally {
    await rm(folder, { recursive: true })
  }
}

interface Measured extends RunMeasure {
  readonly megabytes: number
  readonly speed: number
  readonly peak: number
}

async function measure({ role, files, workers }: Candidate, folder: string): Promise<Measured> {
  const script = join(import.meta.dirname, 'loader-run.ts')
  const [first = '', ...others] = files
  const args = [...(role === 'load' ? heapArguments : []), script, role, first, folder, String(workers), ...others]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const run: RunMeasure & { readonly peak: number } = JSON.parse(stdout)
  const sizes = await Promise.all(files.map(async (path) => (await stat(path)).size))
  const megabytes = sizes.reduce((sum, bytes) => sum + bytes, 0) / 1e6
  await rm(join(folder, 'warehouse'), { recursive: true, force: true })
  return { ...run, megabytes, speed: megabytes / run.seconds }
}

/** The medians over all rounds; the ratio to JSON.parse, the first candidate, is taken within each round. */
function summarise(what: string, rounds: readonly (readonly Measured[])[], position: number) {
  const runs = rounds.flatMap((round) => round[position] ?? [])
  const ratios = rounds.map((round) => (round[position]?.speed ?? 0) / (round[0]?.speed ?? 0))
  const median = (values: readonly number[]) => quantile(values, 0.5)
  const perSecond = (count: number | undefined, seconds: number) => Math.round((count ?? 0) / seconds)
  return {
    what,
    MB: Math.round(runs[0]?.megabytes ?? 0),
    'MB/s': Number(median(runs.map(({ speed }) => speed)).toFixed(1)),
    'of JSON.parse': Number(median(ratios).toFixed(2)),
    'prices/s': median(runs.map(({ prices, seconds }) => perSecond(prices, seconds))),
    'rates/s':
      runs[0]?.rates === undefined ? 'none made' : median(runs.map(({ rates, seconds }) => perSecond(rates, seconds))),
    'peak MB': Math.round(Math.max(...runs.map(({ peak }) => peak)) / 1e6),
  }
}

function readShape(text: string): GeneratedShape['groups'] {
  const shape = groupShapes.find((candidate) => candidate === text)
  if (shape !== undefined) return shape
  throw new UsageError(`--groups is ${groupShapes.join(', ')}, not "${text}"`)
}

function readNumber(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new UsageError(`a number of megabytes, workers or rounds is expected, not "${text}"`)
}
