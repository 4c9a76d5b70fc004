import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { openWarehouseFolder } from '../../../loader/publish/warehouse/warehouse-folder.ts'
import { loadFiles } from '../../../loader/run/load-files.ts'
import { realMachine } from '../../../loader/write/machine.ts'
import { createMemoryCatalogue } from '../../doubles/memory-catalogue.ts'
import { createMemoryContents } from '../../doubles/memory-contents.ts'
import { createMemoryLoadRecords } from '../../doubles/memory-load-records.ts'
import { openMemoryNameWriter } from '../../doubles/vocabulary/memory-code-names.ts'
import type { RunMeasure } from './loader.ts'

/** Arguments of this process, which does one measured run, so that the peak of its memory is that of the run. */
const [role = '', file = '', folder = '', workers = '1', ...others] = process.argv.slice(2)

const runs: Readonly<Record<string, () => Promise<Omit<RunMeasure, 'seconds'>>>> = {
  async parse() {
    const { in_network }: { in_network: { negotiated_rates: { negotiated_prices: unknown[] }[] }[] } = JSON.parse(
      readFileSync(file, 'utf8'),
    )
    const rates = in_network.flatMap((item) => item.negotiated_rates)
    return { prices: rates.reduce((sum, rate) => sum + rate.negotiated_prices.length, 0) }
  },
  async duckdb() {
    const connection = await (await DuckDBInstance.create(':memory:')).connect()
    const reader = await connection.runAndReadAll(`
      SELECT count(*) FROM (SELECT unnest(rate.negotiated_prices) AS price FROM (
        SELECT unnest(item.negotiated_rates) AS rate FROM (
          SELECT unnest(in_network) AS item FROM read_json('${file}', maximum_object_size = 2000000000))))
      WHERE price.negotiated_rate >= 0`)
    return { prices: Number(reader.getRows()[0]?.[0]) }
  },
  async load() {
    let ids = 0
    const report = await loadFiles(
      { files: [file, ...others] },
      {
        workers: Number(workers),
        warehouse: openWarehouseFolder(join(folder, 'warehouse')),
        catalogue: createMemoryCatalogue(),
        contents: createMemoryContents(),
        records: createMemoryLoadRecords(),
        codeNames: openMemoryNameWriter(),
        newId: () => `source${process.pid}x${ids++}`,
        now: () => new Date(),
        machine: realMachine,
      },
    )
    const sum = (name: 'prices' | 'rates') => report.files.reduce((total, each) => total + each[name], 0)
    return { prices: sum('prices'), rates: sum('rates') }
  },
}

const start = performance.now()
const run = runs[role]
if (run === undefined) throw new TypeError(`no run is named ${role}`)
const counts = await run()
const seconds = (performance.now() - start) / 1000
process.stdout.write(JSON.stringify({ ...counts, seconds, peak: process.resourceUsage().maxRSS * 1024 }))
