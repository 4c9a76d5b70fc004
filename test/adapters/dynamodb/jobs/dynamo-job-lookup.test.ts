import { describe, expect, it } from 'vitest'
import { createDynamoJobLookup } from '../../../../adapters/dynamodb/jobs/dynamo-job-lookup.ts'
import { completedBy, expiresAt, failedBy, newJob, touchedAt } from '../../../builders/new-job.ts'
import { newKey, storeKey } from '../../../builders/new-key.ts'
import { request } from '../../../builders/sample-search.ts'
import { createMemoryJobLookup } from '../../../doubles/memory-access.ts'
import { openLookups } from './open-jobs.ts'

const { stores } = openLookups(createDynamoJobLookup, (access, jobs) => createMemoryJobLookup(access, jobs))

describe.each(Object.entries(stores))('looking a job up in %s', (_, { access, jobs, lookup }) => {
  it('finds it in every state, together with the caller’s access', async () => {
    const { orgId, presented } = await storeKey(access)
    const asker = await access.readAccess(presented)
    for (const end of [completedBy, failedBy]) {
      const job = newJob({ orgId })
      await jobs.create(job, request, expiresAt)
      expect(await lookup.lookUp(presented, job.jobId)).toEqual({ access: asker, job })
      await jobs.begin(job, { contents: ['content-1'] }, touchedAt)
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
