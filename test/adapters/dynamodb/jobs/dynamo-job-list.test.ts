import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createDynamoJobList } from '../../../../adapters/dynamodb/jobs/dynamo-job-list.ts'
import { issueOrganizationId } from '../../../../core/access/api-key.ts'
import type { ListedJob } from '../../../../core/job/job-list.ts'
import { listFilters } from '../../../../core/search/filter-words.ts'
import { hashRequest } from '../../../../core/search/search-request.ts'
import { addSeconds } from '../../../../core/time.ts'
import { completedBy, endedAt, expiresAt, failedBy, newJob, touchedAt } from '../../../builders/new-job.ts'
import { createdAt, request } from '../../../builders/sample-search.ts'
import { createMemoryJobList } from '../../../doubles/memory-job-list.ts'
import { openJobs } from './open-jobs.ts'

const { tables, client, stores } = openJobs()

const lists = [
  { name: 'DynamoDB', jobs: stores.DynamoDB, list: createDynamoJobList(client, tables.jobs) },
  { name: 'memory', jobs: stores.memory, list: createMemoryJobList(stores.memory) },
]

const positionOf = ({ jobId, createdAt }: ListedJob): ListedJob => ({ jobId, createdAt })

describe.each(lists)('the list of jobs in $name', ({ jobs, list }) => {
  async function store(count: number, orgId = issueOrganizationId()) {
    // Two jobs per second, so that some have the same time.
    const newJobs = Array.from({ length: count }, (_, index) =>
      newJob({ orgId, createdAt: addSeconds(createdAt, Math.floor(index / 2)) }),
    )
    for (const job of newJobs) await jobs.create(job, request, expiresAt)
    const newestFirst = newJobs
      .map(positionOf)
      .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.jobId < b.jobId ? 1 : -1))
    return { orgId, newestFirst }
  }

  it('contains exactly the jobs of an organization, newest first', async () => {
    const { orgId, newestFirst } = await store(9)
    await store(2)
    expect(await list.list(orgId, 100)).toEqual(newestFirst)
    expect(await list.list(issueOrganizationId(), 100)).toEqual([])
  })

  it.each([1, 2, 4, 9])('continues after any job, %i at a time', async (limit) => {
    const { orgId, newestFirst } = await store(9)
    const listedJobs: ListedJob[] = []
    for (
      let page = await list.list(orgId, limit);
      page.length > 0;
      page = await list.list(orgId, limit, listedJobs.at(-1))
    )
      listedJobs.push(...page)
    expect(listedJobs).toEqual(newestFirst)
  })

  it('continues after a job that no longer exists', async () => {
    const { orgId, newestFirst } = await store(4)
    const missingJob = { createdAt, jobId: randomUUID() }
    expect(await list.list(orgId, 100, missingJob)).toEqual(
      newestFirst.filter(
        ({ createdAt: time, jobId }) => time.getTime() === createdAt.getTime() && jobId < missingJob.jobId,
      ),
    )
  })

  it('reads jobs in each state, in the requested order', async () => {
    const { orgId, newestFirst } = await store(4)
    const [queued, processing, completed, failed] = newestFirst.map((job) => newJob({ orgId, ...job }))
    if (!queued || !processing || !completed || !failed) throw new TypeError('four jobs were stored')
    const runs = await Promise.all([processing, completed, failed].map((job) => jobs.read(job)))
    for (const job of runs) if (job) await jobs.begin(job, { contents: ['content-1'] }, touchedAt)
    // A second step that picks the job up does not change when it began.
    for (const job of runs) if (job) await jobs.begin(job, { contents: ['content-1'] }, addSeconds(touchedAt, 60))
    if (runs[1]) await jobs.complete(completedBy(runs[1]), expiresAt)
    if (runs[2]) await jobs.fail(failedBy(runs[2]), expiresAt)
    const base = (job: ListedJob) => ({
      orgId,
      ...positionOf(job),
      feeScheduleCount: 1,
      firstFeeSchedule: { payer: 'Acme Health', plan: 'Gold PPO' },
      filters: listFilters(request),
    })
    const picked = (job: ListedJob) => ({ ...base(job), processingAt: touchedAt })
    expect(await list.read(orgId, newestFirst)).toStrictEqual([
      { ...base(queued), status: 'queued' },
      { ...picked(processing), status: 'processing' },
      { ...picked(completed), status: 'completed', completedAt: endedAt, rows: 15, bytes: 6144 },
      { ...picked(failed), status: 'failed', failedAt: endedAt, error: 'internal: It broke.' },
    ])
  })

  it('names the first values of each filter and the day, so that a long request stays short', async () => {
    const orgId = issueOrganizationId()
    const billingCodes = ['00100', '27447', '45378', '70551', '73721', '80053', '99213', '99214', '99215']
    const longRequest = { ...request, billingCodes, providers: { states: ['OR'] }, asOf: '2026-10-31' }
    const job = newJob({ orgId })
    await jobs.create(job, longRequest, expiresAt)
    const [listedJob] = await list.read(orgId, [positionOf(job)])
    expect(listedJob).toMatchObject({
      asOf: '2026-10-31',
      filters: [
        { name: 'billing_codes', count: 9, first: billingCodes.slice(0, 8) },
        { name: 'npis', count: 1, first: ['1003000126'] },
        { name: 'states', count: 1, first: ['OR'] },
      ],
    })
  })

  it('names the first three of what a request names, fee schedules before plan ids, and counts all', async () => {
    const orgId = issueOrganizationId()
    const [first, next] = ['Gold PPO', 'Silver HMO'].map((plan) => ({ payer: 'Acme Health', plan }))
    if (!first || !next) throw new TypeError('two fee schedules are named')
    const both = { ...request, feeSchedules: [first, next], planIds: ['0412345678', '0412345679'] }
    const job = newJob({ orgId, requestHash: hashRequest(both) })
    await jobs.create(job, both, expiresAt)
    const onlyId = { ...request, feeSchedules: [], planIds: ['0412345678'] }
    const byId = newJob({ orgId, requestHash: hashRequest(onlyId) })
    await jobs.create(byId, onlyId, expiresAt)
    const [listedJob, listedById] = await list.read(orgId, [positionOf(job), positionOf(byId)])
    expect(listedJob).toMatchObject({
      feeScheduleCount: 4,
      firstFeeSchedule: first,
      nextFeeSchedules: [next, { planId: '0412345678' }],
    })
    expect(listedById).toMatchObject({ feeScheduleCount: 1, firstFeeSchedule: { planId: '0412345678' } })
    expect(listedById).not.toHaveProperty('nextFeeSchedules')
  })

  it('contains a job that failed before a step picked it up', async () => {
    const { orgId, newestFirst } = await store(1)
    const job = await jobs.read({ orgId, jobId: newestFirst[0]?.jobId ?? '' })
    if (job) await jobs.fail(failedBy(job), expiresAt)
    const [listedJob] = await list.read(orgId, newestFirst)
    expect(listedJob).toMatchObject({ status: 'failed', failedAt: endedAt })
    expect(listedJob).not.toHaveProperty('processingAt')
  })

  it('omits deleted jobs, and jobs whose id now belongs to another job', async () => {
    const { orgId, newestFirst } = await store(3)
    const [deletedJob, reusedJob, unchangedJob] = newestFirst
    if (!deletedJob || !reusedJob || !unchangedJob) throw new TypeError('three jobs were stored')
    for (const { jobId } of [deletedJob, reusedJob]) {
      const job = await jobs.read({ orgId, jobId })
      if (job) await jobs.fail(failedBy(job), expiresAt)
      if (job) {
        await jobs.noteAnnounced(job)
        await jobs.remove(job)
      }
    }
    const newerJob = newJob({ orgId, jobId: reusedJob.jobId, createdAt: addSeconds(createdAt, 3600) })
    await jobs.create(newerJob, request, expiresAt)
    const listedJobs = await list.read(orgId, [positionOf(newerJob), deletedJob, reusedJob, unchangedJob])
    expect(listedJobs.map(positionOf)).toEqual([positionOf(newerJob), unchangedJob])
    expect(await list.list(orgId, 10)).toEqual([positionOf(newerJob), unchangedJob])
  })

  it('reads more than the hundred keys of one call', async () => {
    const { orgId, newestFirst } = await store(150)
    expect((await list.read(orgId, newestFirst)).map(positionOf)).toEqual(newestFirst)
  })
})
