import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { UsageError } from '../bin/command/errors.ts'
import { connectCatalogue } from '../bin/command/local-access.ts'
import { newOpaqueId } from '../bin/command/opaque-id.ts'
import { readOptions } from '../bin/command/options.ts'
import { seedOnce } from '../bin/command/seed.ts'
import { formatTable } from '../bin/command/table.ts'
import { RateSearchClient } from '../client/rate-search-client.ts'
import { openObjectStore } from '../local/s3/object-store.ts'
import type { LocalService } from '../local/service.ts'
import type { LocalStorage } from '../local/storage.ts'
import { fingerprintRows, megabytes, writeLargeSource } from './loader/large-source.ts'
import { withService } from './with-service.ts'

const feeSchedule = { payer: 'Copious Health', plan: 'All of it' }

/**
 * Runs one search through the whole local service whose result is a single file above the size limit. Prints what each
 * attempt wrote, the time, and the memory of the process including DuckDB.
 */
export async function benchLargeResult(args: readonly string[]): Promise<void> {
  const { values } = readOptions({ args: [...args], options: { megabytes: { type: 'string', default: '1250' } } })
  if (!/^\d{1,5}$/.test(values.megabytes)) throw new UsageError('a size is a number of megabytes')
  const run = async (service: LocalService, folder: string) => {
    const sourceId = newOpaqueId()
    const source = await writeLargeSource(service.warehouseFolder, sourceId, feeSchedule, Number(values.megabytes))
    await publishSource(service, sourceId)
    const [organization] = await seedOnce(service, folder)
    const files = await runSearch(service.baseUrl, organization?.api_key ?? '', folder)
    const found = await fingerprintRows(files)
    const verdict = found === source ? 'the same as' : 'DIFFERENT FROM'
    process.stdout.write(`rows and their fingerprint: ${found}, ${verdict} the warehouse\n\n`)
    process.stdout.write(`${await describeAttempts(folder)}\n`)
  }
  await withService(run, { filesPerQuery: 1 })
}

async function publishSource(service: LocalStorage, sourceId: string): Promise<void> {
  const { catalogue, contents } = connectCatalogue(service)
  const loaded = { contentId: sourceId, sourcesKey: sourceId, planIdsKey: sourceId, sourceCount: 1 }
  const shown = { planIds: [], planIdCount: 0, partial: false, loadedAt: new Date().toISOString() }
  await contents.putContent({
    contentId: sourceId,
    loadId: sourceId,
    sourcesKey: sourceId,
    sources: [{ loadId: sourceId, sourceId }],
    figures: { rates: 0, codes: 0, npis: 0 },
    partial: false,
    createdAt: new Date(),
  })
  const state = { status: 'active', ...loaded, ...shown } as const
  await catalogue.replace({ ...feeSchedule, version: newOpaqueId(), state }, undefined)
}

/** @returns the paths of the downloaded files */
async function runSearch(baseUrl: string, apiKey: string, folder: string): Promise<readonly string[]> {
  const client = new RateSearchClient({ url: baseUrl, key: apiKey })
  const before = process.memoryUsage.rss()
  let peak = before
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 100)
  try {
    const started = performance.now()
    const { job_id } = await client.create({ npis: [1_000_000_000], fee_schedules: [feeSchedule] })
    for await (const search of client.follow(job_id, { pollSeconds: 0.5 })) {
      if (search.status === 'failed') throw new TypeError(search.error)
      if (search.status !== 'completed') continue
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      process.stdout.write(`POST to completed: ${seconds} s; ${search.download_urls.length} files\n`)
      process.stdout.write(`memory: ${megabytes(before)} MB before, ${megabytes(peak)} MB peak\n`)
      return (await client.download(job_id, join(folder, 'downloads'))).map(({ path }) => path)
    }
    throw new TypeError('the search did not end')
  } finally {
    clearInterval(watch)
  }
}

/** What every attempt left in the results bucket. */
async function describeAttempts(folder: string): Promise<string> {
  const store = openObjectStore(join(folder, 's3'))
  const objects = (await readdir(join(folder, 's3'))).flatMap((bucket) => store.list(bucket))
  const written = objects.flatMap(({ key, size, lastModified }) => {
    const attempt = /\/attempt-(\d+)\//.exec(key)?.[1]
    return attempt === undefined ? [] : [{ attempt: Number(attempt), size, lastModified }]
  })
  const rows = [...Map.groupBy(written, ({ attempt }) => attempt)].map(([attempt, files]) => ({
    attempt,
    files: files.length,
    'largest MB': megabytes(Math.max(...files.map(({ size }) => size))),
    'all MB': megabytes(files.reduce((sum, { size }) => sum + size, 0)),
    'last file at': files
      .map(({ lastModified }) => lastModified)
      .sort()
      .at(-1),
  }))
  return formatTable(
    ['attempt', 'files', 'largest MB', 'all MB', 'last file at'],
    rows.sort((a, b) => a.attempt - b.attempt),
  )
}
