import { beforeAll, describe, expect, it } from 'vitest'
import { attemptPrefix } from '../../../core/job/attempt.ts'
import type { CompletedJob } from '../../../core/job/job.ts'
import type { SearchRequest } from '../../../core/search/search-request.ts'
import { resultLimits } from '../../../core/workflow/publish-results.ts'
import { offerSource } from '../search-api.ts'
import { listRows } from './read-shards.ts'
import { completeSearch, queries, storeSearch } from './run-steps.ts'

/** A plan with 6,000 rows: 2,000 prices for each of three NPIs. */
const request: SearchRequest = {
  npis: [1000000000, 1000000001, 1000000002],
  billingCodes: ['99213'],
  feeSchedules: [{ payer: 'Copious Health', plan: 'All of it' }],
}
const rows = 6000

beforeAll(async () => {
  for (const pair of request.feeSchedules) await offerSource('source-2', pair)
})

const sizes = ({ shards }: CompletedJob) => shards.map(({ bytes }) => bytes)
const total = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0)

describe('a result with an oversized file', () => {
  let whole: CompletedJob
  let limits: typeof resultLimits

  beforeAll(async () => {
    whole = (await completeSearch(await storeSearch(request))).job
    limits = { ...resultLimits, shardBytes: Math.max(...sizes(whole)) - 1 }
  })

  it('ends as smaller files with every row once, all from the last attempt', async () => {
    const input = await storeSearch(request)
    const { retries, job } = await completeSearch(input, { limits })
    const spread = Math.ceil(total(sizes(whole)) / (limits.shardBytes / 2))
    expect(retries).toEqual([{ next: 'retry', attempt: 2, spread, waitSeconds: 0 }])
    expect(job.attempt).toBe(2)
    expect(job.shards.length).toBeGreaterThan(whole.shards.length)
    expect(Math.max(...sizes(job))).toBeLessThanOrEqual(limits.shardBytes)
    expect(total(job.shards.map((shard) => shard.rows))).toBe(rows)
    const wholeRows = await listRows(whole.shards)
    expect(wholeRows).toHaveLength(rows)
    expect(await listRows(job.shards)).toEqual(wholeRows)
    expect(job.shards.filter(({ key }) => !key.startsWith(attemptPrefix(input, 2)))).toEqual([])
  })

  it('follows the same steps and queries when its workflow is restarted', async () => {
    const input = await storeSearch(request)
    const runWorkflow = () => {
      const queryIds = new Set<string>()
      const look = (queryId: string) => {
        queryIds.add(queryId)
        return queries.look(queryId)
      }
      return completeSearch(input, { limits, queries: { ...queries, look } }).then(({ job }) => ({ job, queryIds }))
    }
    const [first, second] = await Promise.all([runWorkflow(), runWorkflow()])
    expect(second.job).toEqual(first.job)
    expect(first.queryIds.size).toBe(2)
    expect([...second.queryIds].filter((queryId) => !first.queryIds.has(queryId))).toEqual([])
  })
})
