import { execFile } from 'node:child_process'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { UsageError } from '../../bin/command/errors.ts'
import { readOptions } from '../../bin/command/options.ts'
import { formatTable } from '../../bin/command/table.ts'
import { generateInNetworkFile } from './generate-in-network-file.ts'

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

/** Prints how fast and with how much memory the loader reads a generated file, compared with JSON.parse and DuckDB. */
export async function benchLoader(args: readonly string[]): Promise<void> {
  const { values } = readOptions({
    args: [...args],
    options: {
      size: { type: 'string', default: '200' },
      large: { type: 'string', default: '0' },
      inline: { type: 'boolean', default: false },
      workers: { type: 'string', default: '0' },
    },
  })
  const folder = await mkdtemp(join(tmpdir(), 'bench-loader-'))
  try {
    const file = join(folder, 'rates.json')
    await generateInNetworkFile(file, { megabytes: readSize(values.size), inline: values.inline, largeItem: 0 })
    const rows = [
      await measure('JSON.parse', 'parse', file, folder),
      await measure('DuckDB read_json', 'duckdb', file, folder),
      await measure('loader', 'load', file, folder),
    ]
    const large = readSize(values.large)
    if (large > 0) {
      const largeItem = large >= largeItemFrom ? largeItemSize : 0
      await generateInNetworkFile(file, { megabytes: large, inline: values.inline, largeItem })
      rows.push(await measure('loader, large file', 'load', file, folder))
    }
    const workers = readSize(values.workers)
    if (workers > 0) {
      // Files of different sizes are different files.
      const files = Array.from({ length: 2 * workers }, (_, index) => join(folder, `rates-${index}.json`))
      for (const [index, path] of files.entries()) {
        await generateInNetworkFile(path, {
          megabytes: readSize(values.size) + index,
          inline: values.inline,
          largeItem: 0,
        })
      }
      const [first = file, ...others] = files
      rows.push(await measure(`loader, ${files.length} files`, 'load', first, folder, ['1', ...others]))
      rows.push(
        await measure(`loader, ${files.length} files, ${workers} workers`, 'load', first, folder, [
          values.workers,
          ...others,
        ]),
      )
    }
    const base = rows[0]?.['MB/s'] ?? 1
    const columns = ['what', 'MB', 'seconds', 'MB/s', 'of JSON.parse', 'prices/s', 'rates/s', 'peak MB']
    const cells = rows.map((row) => ({ ...row, 'of JSON.parse': Number((row['MB/s'] / base).toFixed(2)) }))
    process.stdout.write(`${formatTable(columns, cells)}\n`)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function measure(what: string, role: string, file: string, folder: string, more: readonly string[] = []) {
  const script = join(import.meta.dirname, 'loader-run.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [script, role, file, folder, ...more])
  const { seconds, prices, rates, peak }: RunMeasure & { readonly peak: number } = JSON.parse(stdout)
  const sizes = await Promise.all([file, ...more.slice(1)].map(async (path) => (await stat(path)).size))
  const megabytes = sizes.reduce((sum, size) => sum + size, 0) / 1e6
  return {
    what,
    MB: Math.round(megabytes),
    seconds: Number(seconds.toFixed(1)),
    'MB/s': Number((megabytes / seconds).toFixed(1)),
    'prices/s': Math.round(prices / seconds),
    'rates/s': rates === undefined ? 'none made' : Math.round(rates / seconds),
    'peak MB': Math.round(peak / 1e6),
  }
}

function readSize(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new UsageError(`a size is a number of megabytes, not "${text}"`)
}
