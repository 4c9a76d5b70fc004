import { join } from 'node:path'
import { accessKeys } from '../adapters/dynamodb/dynamo-access.ts'
import { jobKeyItem, shardsKeyItem } from '../adapters/dynamodb/jobs/job-items.ts'
import { seedOnce } from '../bin/command/seed.ts'
import { formatTable } from '../bin/command/table.ts'
import { RateSearchClient } from '../client/rate-search-client.ts'
import { parseAuthorization } from '../core/access/api-key.ts'
import { bundleFunction } from '../lib/functions/function-code.ts'
import { readFunctions } from '../local/lambda/function-definition.ts'
import { smallSearch } from '../local/samples/sample-data.ts'
import type { LocalService } from '../local/service.ts'
import { readStackTemplate } from '../local/stack-template.ts'
import { quantile } from './statistics.ts'
import { withService } from './with-service.ts'

const rounds = 300

/** A call to measure. It is made in one of every `every` rounds. */
interface Measured {
  readonly every: number
  readonly call: () => Promise<Response>
}

/**
 * Compares the latency of a poll and of a create with two functions behind the same front end, in turn: one that does
 * nothing, and one that only makes the read of a poll. Measures the local service, or the one in BENCH_BASE_URL and
 * BENCH_KEY, whose function for unknown paths is then the one that does nothing.
 */
export async function benchHttp(): Promise<void> {
  const { BENCH_BASE_URL: baseUrl, BENCH_KEY: apiKey } = process.env
  if (baseUrl && apiKey) return measure(baseUrl, apiKey)
  await withService(async (service, folder) => {
    const [organization] = await seedOnce(service, folder)
    const key = organization?.api_key ?? ''
    await measure(service.baseUrl, key, (jobId) => putBareFunction(join(folder, 'cdk.out'), service, key, jobId))
  })
}

/** Replaces the function for unknown paths with the bare function, before its first call. */
function putBareFunction(assembly: string, { tables }: LocalService, apiKey: string, jobId: string): void {
  const presented = parseAuthorization(`Bearer ${apiKey}`)
  if (presented === undefined) throw new TypeError('the key of the demo organization is malformed')
  const job = { orgId: presented.orgId, jobId }
  const pollKeys = {
    [tables['Access'] ?? '']: accessKeys(presented),
    [tables['Jobs'] ?? '']: [jobKeyItem(job), shardsKeyItem(job)],
  }
  const template = readStackTemplate(assembly, 'SearchService')
  const [notFound] = readFunctions(template, { environment: {}, credentialsOf: () => ({}) }).filter(
    ({ name }) => name === 'NotFound',
  )
  if (notFound === undefined) throw new TypeError('the stack has no function for unknown paths')
  const entry = join(import.meta.dirname, 'bare-function.ts')
  bundleFunction(entry, notFound.bundle, { pollKeys: JSON.stringify(pollKeys) })
}

async function measure(baseUrl: string, apiKey: string, putBare?: (jobId: string) => void): Promise<void> {
  const client = new RateSearchClient({ url: baseUrl, key: apiKey })
  const started = performance.now()
  const { job_id } = await client.create(smallSearch)
  for await (const search of client.follow(job_id, { pollSeconds: 0.05 })) {
    if (search.status === 'failed') throw new TypeError(search.error)
  }
  process.stdout.write(`POST to completed, first search: ${(performance.now() - started).toFixed(0)} ms\n\n`)
  const unknown = { ...smallSearch, fee_schedules: [{ payer: 'Nobody', plan: 'Nothing' }] }
  const failed = await client.create(unknown)
  for await (const search of client.follow(failed.job_id, { pollSeconds: 0.05 })) {
    if (search.status === 'completed') throw new TypeError('a search of an unknown plan was completed')
  }
  putBare?.(job_id)
  const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' }
  const get = (path: string) => () => fetch(`${baseUrl}${path}`, { headers })
  const body = JSON.stringify(smallSearch)
  const post = () => fetch(`${baseUrl}/v1/searches`, { method: 'POST', headers, body })
  const calls: Readonly<Record<string, Measured>> = {
    'a function that does nothing': { every: 1, call: get('/nothing') },
    ...(putBare && {
      'a function that only reads': { every: 1, call: get('/bare-read') },
      'the same with a log line': { every: 1, call: get('/bare-read-and-log') },
    }),
    'GET a failed search': { every: 1, call: get(`/v1/searches/${failed.job_id}`) },
    'GET a completed search': { every: 1, call: get(`/v1/searches/${job_id}`) },
    'GET fee schedules': { every: 1, call: get('/v1/fee-schedules') },
    // Creates start workflows, which would slow the other calls down, so only a few are made.
    'POST a search': { every: 15, call: post },
  }
  const times = new Map<string, number[]>(Object.keys(calls).map((name) => [name, []]))
  // The first rounds start the functions.
  for (let round = -20; round < rounds; round++) {
    for (const [name, { every, call }] of Object.entries(calls)) {
      if (round % every !== 0) continue
      const start = performance.now()
      await (await call()).arrayBuffer()
      if (round >= 0) times.get(name)?.push(performance.now() - start)
    }
  }
  print(times)
}

function print(times: ReadonlyMap<string, readonly number[]>): void {
  const medianOf = (name: string) => quantile(times.get(name) ?? [], 0.5)
  const rows = [...times].map(([name, values]) => ({
    call: name,
    'p50 ms': quantile(values, 0.5).toFixed(2),
    'p99 ms': quantile(values, 0.99).toFixed(1),
    'p50 to nothing': (quantile(values, 0.5) / medianOf('a function that does nothing')).toFixed(2),
    'p50 to the read': (quantile(values, 0.5) / medianOf('a function that only reads')).toFixed(2),
  }))
  process.stdout.write(`${formatTable(['call', 'p50 ms', 'p99 ms', 'p50 to nothing', 'p50 to the read'], rows)}\n`)
}
