import { parquetMetadata } from 'hyparquet'
import { RateSearchClient } from '../../../client/rate-search-client.ts'
import type { CompletedSearchBody } from '../../../contract/search-api.ts'
import { type KnownSearch, listKnownSearches } from './known-searches.ts'
import type { TrafficService } from './traffic-service.ts'

/** Clients of several organizations, and searches with known answers. */
export interface KnownJobs {
  readonly clients: readonly RateSearchClient[]
  readonly searches: readonly KnownSearch[]
}

export function openKnownJobs({ baseUrl, keys }: Pick<TrafficService, 'baseUrl' | 'keys'>): KnownJobs {
  const clients = keys.map((apiKey) => new RateSearchClient({ url: baseUrl, key: apiKey, retries: 0 }))
  return { clients, searches: listKnownSearches() }
}

/** Returns the item at this index, wrapping around. */
export function inTurn<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length]
  if (item === undefined) throw new TypeError('the list is empty')
  return item
}

/**
 * Posts a known search, polls until it ends and counts the rows of its shards.
 *
 * @returns milliseconds from the request until a poll saw that it had completed
 * @throws Error if it fails or has other rows
 */
export async function runKnownJob(client: RateSearchClient, { body, rows }: KnownSearch): Promise<number> {
  const start = performance.now()
  const { job_id: jobId } = await client.create(body)
  const search = await client.waitFor(jobId, { pollSeconds: 0.25 })
  const milliseconds = performance.now() - start
  const rowCount = await countRows(search)
  if (rowCount !== rows) throw new Error(`a job has ${rowCount} rows instead of ${rows}`)
  return milliseconds
}

async function countRows({ download_urls: urls }: CompletedSearchBody): Promise<number> {
  const shards = await Promise.all(urls.map(async (url) => (await fetch(url)).arrayBuffer()))
  return shards.reduce((sum, shard) => sum + Number(parquetMetadata(shard).num_rows), 0)
}
