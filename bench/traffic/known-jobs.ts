import { parquetMetadata } from 'hyparquet'
import { RateSearchClient } from '../../client/rate-search-client.ts'
import type { CompletedSearchBody, SearchBody, SearchRequestBody } from '../../contract/search-api.ts'
import type { KnownSearch } from './known-searches.ts'
import { crashingNpi, listKnownSearches } from './known-searches.ts'
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

/** A job that was polled until it ended. */
export interface EndedJob {
  readonly search: SearchBody
  /** Milliseconds from the request until a poll saw that it had ended. */
  readonly milliseconds: number
}

/** Posts a search and polls until it ends. */
export async function runJob(client: RateSearchClient, body: SearchRequestBody): Promise<EndedJob> {
  const start = performance.now()
  const { job_id: jobId } = await client.create(body)
  let last: SearchBody | undefined
  for await (const search of client.follow(jobId, { pollSeconds: 0.25 })) last = search
  if (last === undefined) throw new TypeError('a job was never seen by a poll')
  return { search: last, milliseconds: performance.now() - start }
}

/**
 * Posts a known search, polls until it ends and counts the rows of its shards.
 *
 * @throws Error if it fails or has other rows
 */
export async function runKnownJob(client: RateSearchClient, { body, rows }: KnownSearch): Promise<number> {
  const { search, milliseconds } = await runJob(client, body)
  if (search.status !== 'completed') throw new Error(`a job ended as ${JSON.stringify(search)}`)
  const found = await countRows(search)
  if (found !== rows) throw new Error(`a job has ${found} rows instead of ${rows}`)
  return milliseconds
}

async function countRows({ download_urls: urls }: CompletedSearchBody): Promise<number> {
  const shards = await Promise.all(urls.map(async (url) => (await fetch(url)).arrayBuffer()))
  return shards.reduce((sum, shard) => sum + Number(parquetMetadata(shard).num_rows), 0)
}

/** A search whose step fails on every look at its query. */
export const crashingSearch = ({ body }: KnownSearch): SearchRequestBody => ({ ...body, npis: [crashingNpi] })
