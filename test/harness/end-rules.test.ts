import { describe, expect, it } from 'vitest'
import type { SearchBody } from '../../contract/search-api.ts'
import { type FollowedSearch, findWrongEnds, findWrongStores } from './end-rules.ts'

const jobId = '2a39443a-064f-4d78-b562-c11683209ccf'
const otherId = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
const base = { job_id: jobId, created_at: '2026-11-20T09:30:00.123+00:00', status_url: 'https://rates.example/v1' }
const failed = (error: string): SearchBody => ({ ...base, status: 'failed', error })
const end = failed('timeout: The search ran too long.')
const known = { body: { fee_schedules: [{ payer: 'Acme Health', plan: 'Gold PPO' }] }, end: 'timeout' } as const
const kept: FollowedSearch = { known, jobId, end, isShortLived: false }
const deleted: FollowedSearch = { ...kept, isShortLived: true, isGone: true }
const stored = { job_id: jobId, status: 'failed' } as const

const unknown = (id: string) => `job ${id} is stored, but its client deleted it or never got it under its key`

describe('the rules for ended searches', () => {
  it('accept the expected end, and deleted searches', async () => {
    expect(await findWrongEnds([kept, deleted])).toEqual([])
    expect(findWrongStores([kept], [stored], [])).toEqual([])
    expect(findWrongStores([deleted], [], [])).toEqual([])
  })

  it.each([
    ['another failure', failed('internal: The search could not be completed.'), 'ended internal instead of timeout'],
    ['an unknown word', failed('oops: What?'), 'ended failed: oops: What? instead of timeout'],
    ['no end', { ...base, status: 'processing' as const }, 'ended processing instead of timeout'],
  ])('refuse %s', async (_name, wrong, fault) => {
    expect(await findWrongEnds([{ ...kept, end: wrong }])).toEqual([`job ${jobId} ${fault}`])
  })

  it.each([
    ['an end that was not announced', [kept], [stored], `the end of job ${jobId} was never announced`],
    ['a lost job', [kept], [], `job ${jobId} is not stored`],
    ['a search that was not accepted', [{ known, isShortLived: false }], [], 'a search was never accepted'],
    ['a search without an end', [{ known, jobId, isShortLived: false }], [stored], `job ${jobId} did not end`],
    ['a job that is not gone', [{ ...deleted, isGone: false }], [], `job ${jobId} could not be deleted`],
    ['a stored job that runs', [kept], [{ ...stored, status: 'queued' }], `job ${jobId} is stored as queued`],
    ['a job that its client deleted', [deleted], [stored], unknown(jobId)],
    ['a second job', [kept], [stored, { ...stored, job_id: otherId }], unknown(otherId)],
  ] as const)('refuse %s', (name, followed, jobs, fault) => {
    const unannounced = name === 'an end that was not announced' ? [jobId] : []
    expect(findWrongStores(followed, jobs, unannounced)).toEqual([fault])
  })
})
