import { describe, expect, it } from 'vitest'
import {
  describeCompletedSearch,
  describeSearch,
  retryAfterSeconds,
  statusUrl,
} from '../../../core/calls/search-body.ts'
import { addSeconds } from '../../../core/time.ts'
import { createdAt, newJob } from '../../builders/sample-search.ts'

const job = newJob()
const { status: _, ...base } = job
const at = new Date('2026-11-20T09:31:00.000Z')
const common = {
  job_id: job.jobId,
  created_at: '2026-11-20T09:30:00.123+00:00',
  status_url: `https://rates.example/prod/v1/searches/${job.jobId}`,
}

describe('the body of a search', () => {
  it('gives an absolute status URL', () => {
    expect(statusUrl('https://rates.example/prod', 'x')).toBe('https://rates.example/prod/v1/searches/x')
  })

  it.each(['queued', 'processing'] as const)(
    'consists of exactly the documented fields for a job that is %s',
    (status) => {
      const body = describeSearch({ ...base, status }, 'https://rates.example/prod')
      expect(body).toStrictEqual({ ...common, status })
    },
  )

  it('reveals neither sources nor query of a processing job', () => {
    const query = { queryId: 'q', attempt: 1 }
    const body = describeSearch({ ...base, status: 'processing', contents: ['s'], query }, 'https://rates.example/prod')
    expect(body).toStrictEqual({ ...common, status: 'processing' })
  })

  it('shows the error of a failed job and no end time', () => {
    const error = 'timeout: It took too long.'
    const body = describeSearch({ ...base, status: 'failed', failedAt: at, error }, 'https://rates.example/prod')
    expect(body).toStrictEqual({ ...common, status: 'failed', error })
  })

  it('lists the signed URLs of a completed job in order', () => {
    const shards = [{ key: 'results/0', bytes: 1, rows: 1 }]
    const signed = { urls: ['https://s/0', 'https://s/1'], expiresAt: new Date('2026-11-20T10:30:00.000Z') }
    const completed = { ...base, status: 'completed', completedAt: at, attempt: 1, shards } as const
    expect(describeCompletedSearch(completed, 'https://rates.example/prod', signed)).toStrictEqual({
      ...common,
      status: 'completed',
      completed_at: '2026-11-20T09:31:00.000+00:00',
      download_urls: ['https://s/0', 'https://s/1'],
      expires_at: '2026-11-20T10:30:00.000+00:00',
    })
  })
})

describe('the polling interval of a job', () => {
  it.each([
    [0, 2],
    [19.999, 2],
    [20, 15],
    [86_400, 15],
    [-5, 2],
  ])('after %d seconds has %d seconds', (age, seconds) => {
    expect(retryAfterSeconds({ status: 'queued', createdAt }, addSeconds(createdAt, age))).toBe(seconds)
    expect(retryAfterSeconds({ status: 'processing', createdAt }, addSeconds(createdAt, age))).toBe(seconds)
  })

  it.each(['completed', 'failed'] as const)('ends once the job is %s', (status) => {
    expect(retryAfterSeconds({ status, createdAt }, createdAt)).toBeUndefined()
  })
})
