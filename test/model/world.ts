import { issueApiKey, type StoredKey } from '../../core/access/api-key.ts'
import type { Organization } from '../../core/access/ports.ts'
import { executionName, type Job, type JobRun } from '../../core/job/job.ts'
import type { Limits } from '../../core/limits/usage.ts'
import type { Log } from '../../core/log.ts'
import type { NextStep } from '../../schema/workflow-step.ts'
import { newFooter } from '../builders/open-search.ts'
import { createClock, newContent, newEntry, runOf } from '../builders/sample-search.ts'
import { createMemoryAccess, createMemoryJobLookup, createMemoryRecordedJobLookup } from '../doubles/memory-access.ts'
import { createMemoryAnnouncements } from '../doubles/memory-announcements.ts'
import { createMemoryCatalogue } from '../doubles/memory-catalogue.ts'
import { createMemoryContents } from '../doubles/memory-contents.ts'
import { createMemoryFileLists, createMemoryListFaults, createMemoryResultFiles } from '../doubles/memory-files.ts'
import { createMemoryJobList } from '../doubles/memory-job-list.ts'
import { createMemoryJobs, createMemoryWorkflow } from '../doubles/memory-ports.ts'
import {
  createMemoryByteUsages,
  createMemoryCreationLookup,
  createMemoryHolders,
  createMemoryRateUsages,
  createMemoryUsages,
  wideLimits,
} from '../doubles/memory-usages.ts'
import type { Caller } from '../harness/reference-facts.ts'
import { createMemoryAthena } from './memory-athena.ts'
import type { Ports } from './ports.ts'

/** The in-memory environment of the service: stores, executions, Athena and the clock. */

/** An execution of a job's workflow, between two of its steps. */
export interface Execution {
  readonly job: JobRun
  readonly name: string
  step?: NextStep
  /** Number of times that the next step has failed. */
  failures: number
  isBusy: boolean
}

/** Keys are created once: no run depends on their random parts. */
const issued = ['AAAAAAAAAAAA', 'AAAAAAAAAAAA', 'BBBBBBBBBBBB', 'CCCCCCCCCCCC'].map(issueApiKey)

/** A well-formed key that was never issued. */
const { token: unknownToken } = issueApiKey('AAAAAAAAAAAA')

export const callers: readonly Caller[] = issued.map(({ token, stored }) => ({ token, orgId: stored.orgId }))
export const stranger: Caller = { token: unknownToken, orgId: 'AAAAAAAAAAAA' }

/** Only the first organization has limits that are reached. */
const narrowLimits: Limits = { searches: 2, perMinute: 3 }

export const limitsOf = (orgId: string): Limits => (orgId === stranger.orgId ? narrowLimits : wideLimits)

export function openWorld() {
  const clock = createClock()
  const keys: StoredKey[] = issued.map(({ stored }) => stored)
  const organizations: Organization[] = [...new Set(keys.map(({ orgId }) => orgId))].map((orgId) => ({
    orgId,
    name: orgId,
    active: true,
    limits: limitsOf(orgId),
  }))
  const files = createMemoryResultFiles(newFooter)
  const contents = createMemoryContents()
  contents.contents.set('content-1', newContent())
  const athena = createMemoryAthena(files)
  const jobs = createMemoryJobs()
  const usages = createMemoryUsages()
  const announcements = createMemoryAnnouncements()
  const workflow = createMemoryWorkflow()
  const executions = new Map<string, Execution>()
  /** Every run ever stored, in order of creation. */
  const runs: JobRun[] = []
  /** The executions of jobs whose id was used again after their retention. */
  const replaced = new Set<string>()
  const lines: string[] = []
  const log: Log = (event, facts) => void lines.push(JSON.stringify({ event, ...facts }))
  const access = createMemoryAccess(organizations, keys)

  /** The counted ends, by job. */
  const counted = new Map<string, string[]>()

  const ports: Ports = {
    access,
    lookup: createMemoryJobLookup(access, jobs),
    recordedLookup: createMemoryRecordedJobLookup(access, jobs),
    list: createMemoryJobList(jobs),
    jobs: {
      ...jobs,
      create: async (job, ...given) => {
        const before = await jobs.read(job)
        const creation = await jobs.create(job, ...given)
        if (creation.outcome !== 'created') return creation
        runs.push(runOf(job))
        if (before !== undefined) replaced.add(executionName(before))
        return creation
      },
    },
    unended: jobs,
    catalogue: createMemoryCatalogue([newEntry()]),
    contents,
    fileLists: createMemoryFileLists(),
    listFaults: createMemoryListFaults(),
    countListFault: () => {},
    queries: athena,
    workflow: {
      start: async (job) => {
        const start = await workflow.start(job)
        const name = executionName(job)
        if (start.outcome === 'started' && !executions.has(name))
          executions.set(name, { job: runOf(job), name, failures: 0, isBusy: false })
        return start
      },
      isRunning: workflow.isRunning,
    },
    resultFiles: files,
    signer: {
      sign: async (shards) => ({
        urls: shards.map(
          ({ key }, index) => `https://storage.example/${key}?signature=${clock.now().getTime()}${index}`,
        ),
        expiresAt: new Date(clock.now().getTime() + 3_600_000),
      }),
    },
    log,
    creationLookup: createMemoryCreationLookup(access, jobs, usages),
    usages,
    byteUsages: createMemoryByteUsages(),
    estimateUsages: createMemoryRateUsages('estimates'),
    reviews: usages,
    holders: createMemoryHolders(jobs),
    announcements,
    countEnd: ({ jobId, word }) => void counted.set(jobId, [...(counted.get(jobId) ?? []), word]),
  }
  const revokeKey = (token: string) => {
    const index = callers.findIndex((caller) => caller.token === token)
    const key = keys[index]
    if (key) keys[index] = { ...key, revokedAt: clock.now() }
  }
  const deactivate = (orgId: string) => {
    const index = organizations.findIndex((one) => one.orgId === orgId)
    const organization = organizations[index]
    if (organization) organizations[index] = { ...organization, active: false }
  }
  return {
    revokeKey,
    deactivate,
    clock,
    keys,
    organizations,
    files,
    athena,
    jobs,
    usages,
    announcements,
    workflow,
    executions,
    runs,
    replaced,
    lines,
    counted,
    ports,
  }
}

export type World = ReturnType<typeof openWorld>

/** Removes an execution that has ended. */
export function endExecution({ executions, workflow }: World, { name }: Execution): void {
  executions.delete(name)
  workflow.executions.set(name, 'ended')
}

/** Reads the stored job of a run; undefined if it is gone. */
export async function readRun(jobs: Ports['jobs'], run: JobRun): Promise<Job | undefined> {
  const job = await jobs.read(run)
  return job?.run === run.run ? job : undefined
}
