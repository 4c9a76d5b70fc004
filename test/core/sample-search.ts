import { createHash } from 'node:crypto'
import type { CatalogueEntry } from '../../core/catalogue-entry.ts'
import type { JobRun, QueuedJob } from '../../core/job.ts'
import type { SearchRequest } from '../../core/search-request.ts'
import { hashRequest } from '../../core/search-request.ts'

/** A sample search for the use case tests, and a clock that only they move. */

export const createdAt = new Date('2026-11-20T09:30:00.123Z')
export const retentionDays = 7

export const request: SearchRequest = {
  npis: [1003000126],
  billingCodes: ['99213'],
  feeSchedules: [{ payer: 'Acme Health', plan: 'Gold PPO' }],
}

export function newJob(facts: Partial<QueuedJob> = {}): QueuedJob {
  return {
    orgId: 'AAAAAAAAAAAA',
    jobId: '0f8fad5b-d9cb-469f-a165-70867728950e',
    run: 'run1',
    status: 'queued',
    createdAt,
    requestHash: hashRequest(request),
    ...facts,
  }
}

/** Only the ids of a job's run, as in the input of steps. */
export const runOf = ({ orgId, jobId, run }: JobRun): JobRun => ({ orgId, jobId, run })

export function newEntry(facts: Partial<CatalogueEntry> = {}): CatalogueEntry {
  return {
    payer: 'Acme Health',
    plan: 'Gold PPO',
    planIds: ['0123'],
    sources: ['source-1'],
    partial: false,
    version: 'v1',
    ...facts,
  }
}

export interface TestClock {
  readonly now: () => Date
  readonly advance: (seconds: number) => void
  /** Advances the clock and records by how much. */
  readonly sleep: (milliseconds: number) => Promise<void>
  readonly slept: number[]
}

export function createClock(start = createdAt): TestClock {
  let time = start.getTime()
  const slept: number[] = []
  return {
    slept,
    now: () => new Date(time),
    advance: (seconds) => {
      time += seconds * 1000
    },
    sleep: async (milliseconds) => {
      slept.push(milliseconds)
      time += milliseconds
    },
  }
}

/** A UUIDv4 derived from a word, so that the jobs are the same in every test run. */
export function jobIdOf(word: string): string {
  const hex = createHash('sha256').update(word).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}
