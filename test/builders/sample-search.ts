import { createHash } from 'node:crypto'
import type { CatalogueEntry, EntryContent, ShownContent } from '../../core/catalogue/catalogue-entry.ts'
import type { Content } from '../../core/catalogue/content.ts'
import type { FeeSchedule } from '../../core/catalogue/fee-schedule.ts'
import { keyOfPlanIds } from '../../core/catalogue/plan-id.ts'
import { executionName, type JobRun, type QueuedJob } from '../../core/job/job.ts'
import type { NppesMonth } from '../../core/nppes/nppes-months.ts'
import { hashRequest, type SearchRequest } from '../../core/search/search-request.ts'
import type { ContentScope } from '../../core/search/select-loaded-rates.ts'

/** A sample search for tests of use cases, and a clock that only tests advance. */

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

/** The facts of an entry that a test sets; others have default values. */
type EntryFacts = Partial<FeeSchedule & Pick<CatalogueEntry, 'version' | 'variantOf'> & EntryContent>

/** An entry of a loaded fee schedule. */
export function newEntry(facts: EntryFacts = {}): CatalogueEntry {
  const { payer = 'Acme Health', plan = 'Gold PPO', version = 'v1', variantOf, ...content } = facts
  const planIds = content.planIds ?? ['hios|0123']
  const state = {
    status: 'active',
    contentId: 'content-1',
    sourcesKey: `sources of ${content.contentId ?? 'content-1'}`,
    planIdsKey: planIds.join(),
    sourceCount: 1,
    partial: false,
    loadedAt: '2026-11-01T00:00:00.000+00:00',
    ...content,
    planIds,
    planIdCount: content.planIdCount ?? planIds.length,
  } as const
  return { payer, plan, version, ...(variantOf !== undefined && { variantOf }), state }
}

/** An entry of a name whose plan ids have different files. */
export function newAmbiguousEntry(name: Partial<FeeSchedule>, variants = 2): CatalogueEntry {
  return { ...newEntry(name), state: { status: 'ambiguous', variants } }
}

/** An entry of an operator's own relation. */
export function newRelationEntry(facts: Partial<FeeSchedule & ShownContent> = {}): CatalogueEntry {
  const { payer = 'Acme Health', plan = 'Gold PPO', ...shown } = facts
  return {
    payer,
    plan,
    version: 'v1',
    state: {
      status: 'relation',
      planIds: [],
      planIdCount: 0,
      planIdsKey: keyOfPlanIds(shown.planIds ?? []),
      partial: false,
      ...shown,
    },
  }
}

/** The content of an entry, of one source named after it. */
export function newContent(contentId = 'content-1'): Content {
  return {
    contentId,
    loadId: 'load-1',
    sourcesKey: `sources of ${contentId}`,
    sources: [{ loadId: 'load-1', sourceId: `source of ${contentId}` }],
    figures: { rates: 1, codes: 1, npis: 1 },
    partial: false,
    createdAt,
  }
}

/** A month of NPPES with one provider. */
export function newNppesMonth(facts: Partial<NppesMonth> = {}): NppesMonth {
  return {
    nppesMonthId: 'r1',
    month: '2026-11',
    rows: 1,
    bytes: 1,
    rowGroupRows: 1,
    loadedAt: createdAt,
    ...facts,
  }
}

/** The scope of a statement over contents whose files are listed for the job. */
export function scopeOf(job: JobRun, ...contentIds: readonly string[]): ContentScope {
  return { contents: contentIds, files: { searchId: executionName(job) } }
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
