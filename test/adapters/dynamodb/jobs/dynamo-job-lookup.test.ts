import { describe, expect, it } from 'vitest'
import { createDynamoJobLookup } from '../../../../adapters/dynamodb/jobs/dynamo-job-lookup.ts'
import { completedBy, expiresAt, failedBy, newJob, touchedAt } from '../../../builders/new-job.ts'
import { newKey, storeKey } from '../../../builders/new-key.ts'
import { request } from '../../../builders/sample-search.ts'
import { createMemoryJobLookup } from '../../../doubles/memory-access.ts'
import { openLookups } from './open-jobs.ts'

const { stores } = openLookups(createDynamoJobLookup, (access, jobs) => createMemoryJobLookup(access, jobs))

describe.each(Object.entries(stores))('looking a job up in %s', (_, { access, jobs, lookup }) => {
  it('finds a job in every state, together with the caller’s access', async () => {
    const { orgId, presented } = await storeKey(access)
    const asker = await access.readAccess(presented)
    for (const end of [completedBy, failedBy]) {
      const job = newJob({ orgId })
      await jobs.create(job, request, expiresAt)
      expect(await lookup.lookUp(presented, job.jobId)).toEqual({ access: asker, job })
      await jobs.begin(job, { contents: ['content-1'] }, touchedAt)
      const processing = { ...job, status: 'processing', contents: ['content-1'] }
      expect(await lookup.lookUp(presented, job.jobId)).toEqual({ access: asker, job: processing })
      const endedJob = end(job)
      await (endedJob.status === 'completed' ? jobs.complete(endedJob, expiresAt) : jobs.fail(endedJob, expiresAt))
      expect(await lookup.lookUp(presented, job.jobId)).toEqual({ access: asker, job: endedJob })
    }
  })

  it("treats another organization's job like one that does not exist", async () => {
    const { orgId } = await storeKey(access)
    const job = newJob({ orgId })
    await jobs.create(job, request, expiresAt)
    const stranger = await storeKey(access)
    const answer = await lookup.lookUp(stranger.presented, job.jobId)
    expect(answer).toEqual(await lookup.lookUp(stranger.presented, newJob().jobId))
    expect(answer).toEqual({ access: await access.readAccess(stranger.presented) })
  })

  it('returns no access for an unknown key', async () => {
    expect(await lookup.lookUp(newKey().presented, newJob().jobId)).toEqual({ access: {} })
  })
})
