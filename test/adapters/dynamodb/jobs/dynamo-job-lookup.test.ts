import { describe, expect, it } from 'vitest'
import { createDynamoAccess } from '../../../../adapters/dynamodb/dynamo-access.ts'
import { connectDynamo } from '../../../../adapters/dynamodb/dynamo-client.ts'
import { createDynamoJobLookup } from '../../../../adapters/dynamodb/jobs/dynamo-job-lookup.ts'
import { createDynamoJobs } from '../../../../adapters/dynamodb/jobs/dynamo-jobs.ts'
import { completedBy, expiresAt, failedBy, newJob, touchedAt } from '../../../builders/new-job.ts'
import { newKey, storeKey } from '../../../builders/new-key.ts'
import { request } from '../../../builders/sample-search.ts'
import { createMemoryAccess, createMemoryJobLookup } from '../../../doubles/memory-access.ts'
import { createMemoryJobs } from '../../../doubles/memory-ports.ts'
import { connectEndpoints } from '../../../endpoints/connect.ts'

const { tables } = connectEndpoints()
const dynamo = connectDynamo()
const [memoryAccess, memoryJobs] = [createMemoryAccess(), createMemoryJobs()]

/** The adapter, and the double that tests of the core use. */
const stores = {
  DynamoDB: {
    access: createDynamoAccess(dynamo, tables.access),
    jobs: createDynamoJobs(dynamo, tables.jobs),
    lookup: createDynamoJobLookup(dynamo, { jobs: tables.jobs, access: tables.access }),
  },
  memory: { access: memoryAccess, jobs: memoryJobs, lookup: createMemoryJobLookup(memoryAccess, memoryJobs) },
}

describe.each(Object.entries(stores))('looking a job up in %s', (_, { access, jobs, lookup }) => {
  it('finds it in every state, together with the caller’s access', async () => {
    const { orgId, presented } = await storeKey(access)
    const asker = await access.readAccess(presented)
    for (const end of [completedBy, failedBy]) {
      const job = newJob({ orgId })
      await jobs.create(job, request, expiresAt)
      expect(await lookup.lookUp(presented, job.jobId)).toEqual({ access: asker, job })
      await jobs.begin(job, ['content-1'], touchedAt)
      const processing = { ...job, status: 'processing', contents: ['content-1'] }
      expect(await lookup.lookUp(presented, job.jobId)).toEqual({ access: asker, job: processing })
      const ended = end(job)
      await (ended.status === 'completed' ? jobs.complete(ended, expiresAt) : jobs.fail(ended, expiresAt))
      expect(await lookup.lookUp(presented, job.jobId)).toEqual({ access: asker, job: ended })
    }
  })

  it("treats another organization's job like one that does not exist", async () => {
    const { orgId } = await storeKey(access)
    const job = newJob({ orgId })
    await jobs.create(job, request, expiresAt)
    const stranger = await storeKey(access)
    const missed = await lookup.lookUp(stranger.presented, job.jobId)
    expect(missed).toEqual(await lookup.lookUp(stranger.presented, newJob().jobId))
    expect(missed).toEqual({ access: await access.readAccess(stranger.presented) })
  })

  it('returns no access for an unknown key', async () => {
    expect(await lookup.lookUp(newKey().presented, newJob().jobId)).toEqual({ access: {} })
  })
})
