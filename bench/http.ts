import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startLocalService } from '../bin/local-service.ts'
import { seedOnce } from '../bin/seed.ts'
import { createSearchClient } from '../client/search-client.ts'
import { smallSearch } from '../local/sample-data.ts'

const rounds = 200

/**
 * Prints the milliseconds of a poll and of a create compared with a function that does nothing (an unknown path),
 * interleaved and through the same front end. Measures the local service, or the one given by BENCH_BASE_URL and
 * BENCH_KEY.
 */
export async function benchHttp(): Promise<void> {
  const { BENCH_BASE_URL: baseUrl, BENCH_KEY: apiKey } = process.env
  if (baseUrl && apiKey) return measure(baseUrl, apiKey)
  const folder = mkdtempSync(join(tmpdir(), 'bench-http-'))
  const service = await startLocalService(folder, 0)
  try {
    const [organization] = await seedOnce(service, folder)
    await measure(service.baseUrl, organization?.api_key ?? '')
  } finally {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(baseUrl: string, apiKey: string): Promise<void> {
  const client = createSearchClient({ baseUrl, apiKey, sleep, pollSeconds: 0.05 })
  const started = performance.now()
  const { job_id } = await client.createSearch(smallSearch)
  for await (const search of client.followSearch(job_id)) {
    if (search.status === 'failed') throw new TypeError(search.error)
  }
  const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' }
  const body = JSON.stringify(smallSearch)
  const calls: Readonly<Record<string, () => Promise<Response>>> = {
    'a function that does nothing': () => fetch(`${baseUrl}/nothing`, { headers }),
    'GET a completed search': () => fetch(`${baseUrl}/v1/searches/${job_id}`, { headers }),
    'GET fee schedules': () => fetch(`${baseUrl}/v1/fee-schedules`, { headers }),
    'POST a search': () => fetch(`${baseUrl}/v1/searches`, { method: 'POST', headers, body }),
  }
  process.stdout.write(`POST to completed, first search: ${(performance.now() - started).toFixed(0)} ms\n\n`)
  const times = new Map<string, number[]>(Object.keys(calls).map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const [name, call] of Object.entries(calls)) {
      // Creates start workflows, which would slow the other calls down, so only a few are made.
      if (name.startsWith('POST') && round % 10 !== 0) continue
      const start = performance.now()
      await (await call()).arrayBuffer()
      times.get(name)?.push(performance.now() - start)
    }
  }
  print(times)
}

function print(times: ReadonlyMap<string, readonly number[]>): void {
  const nothing = quantile([...times.values()][0] ?? [], 0.5)
  process.stdout.write(
    `${'call'.padEnd(32)}${'p50 ms'.padStart(10)}${'p99 ms'.padStart(10)}${'p50 ratio'.padStart(12)}\n`,
  )
  for (const [name, values] of times) {
    const p50 = quantile(values, 0.5)
    const cells = [
      p50.toFixed(1).padStart(10),
      quantile(values, 0.99).toFixed(1).padStart(10),
      (p50 / nothing).toFixed(2).padStart(12),
    ]
    process.stdout.write(`${name.padEnd(32)}${cells.join('')}\n`)
  }
}

function quantile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN
}
