import { describe, expect, it } from 'vitest'
import { createDynamoAccess } from '../../../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoUsages } from '../../../../adapters/dynamodb/dynamo-usages.ts'
import { createDynamoCreationLookup } from '../../../../adapters/dynamodb/jobs/dynamo-job-lookup.ts'
import { createDynamoJobs } from '../../../../adapters/dynamodb/jobs/dynamo-jobs.ts'
import { unused } from '../../../../core/limits/usage.ts'
import { endedAt, expiresAt, failedBy, newJob } from '../../../builders/new-job.ts'
import { newKey, storeKey } from '../../../builders/new-key.ts'
import { createdAt, request } from '../../../builders/sample-search.ts'
import { createMemoryAccess } from '../../../doubles/memory-access.ts'
import { createMemoryJobs } from '../../../doubles/memory-ports.ts'
import {
  createMemoryCreationLookup,
  createMemoryHolders,
  createMemoryUsages,
  wideLimits,
} from '../../../doubles/memory-usages.ts'
import { connectEndpoints } from '../../../endpoints/connect.ts'

const { tables } = connectEndpoints()
const client = connectDynamo()

function openDynamo() {
  const usages = createDynamoUsages(client, tables.jobs)
  const lookup = createDynamoCreationLookup(client, { jobs: tables.jobs, access: tables.access })
  const jobs = createDynamoJobs(client, tables.jobs)
  return { access: createDynamoAccess(client, tables.access), jobs, usages, lookup, holders: usages }
}

function openMemory() {
  const [access, jobs, usages] = [createMemoryAccess(), createMemoryJobs(), createMemoryUsages()]
  const lookup = createMemoryCreationLookup(access, jobs, usages)
  return { access, jobs, usages, lookup, holders: createMemoryHolders(jobs) }
}

describe.each([
  ['DynamoDB', openDynamo()],
  ['memory', openMemory()],
])('the look-up before a new search in %s', (_, { access, jobs, usages, lookup, holders }) => {
  it('finds nothing for an unknown key', async () => {
    expect(await lookup.lookUp(newKey().presented, newJob().jobId)).toEqual({ access: {}, usage: unused })
  })

  it('finds access, usage and the job, with its end once it has ended', async () => {
    const { orgId, presented } = await storeKey(access)
    const job = newJob({ orgId })
    await jobs.create(job, request, expiresAt)
    await usages.take({ ...job, at: createdAt, limits: wideLimits }, unused)
    const facts = { access: await access.readAccess(presented), usage: await usages.read(orgId) }
    expect(await lookup.lookUp(presented, job.jobId)).toEqual({ ...facts, holder: job })
    await jobs.fail(failedBy(job), expiresAt)
    expect(await lookup.lookUp(presented, job.jobId)).toEqual({
      ...facts,
      holder: { ...job, status: 'failed', endedAt },
    })
  })

  it('reads no job without an idempotency key', async () => {
    const { orgId, presented } = await storeKey(access)
    await jobs.create(newJob({ orgId }), request, expiresAt)
    expect(await lookup.lookUp(presented, undefined)).not.toHaveProperty('holder')
  })

  it('reads many holders at once, and omits jobs that do not exist', async () => {
    const newJobs = Array.from({ length: 120 }, () => newJob())
    for (const job of newJobs) await jobs.create(job, request, expiresAt)
    const jobHolders = await holders.readHolders([...newJobs, newJob()])
    expect(jobHolders.map(({ jobId }) => jobId).sort()).toEqual(newJobs.map(({ jobId }) => jobId).sort())
    expect(await holders.readHolders([])).toEqual([])
  })
})
