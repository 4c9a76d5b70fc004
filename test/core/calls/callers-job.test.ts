import { describe, expect, it } from 'vitest'
import { cancelSearch } from '../../../core/calls/cancel-search.ts'
import { deleteSearch } from '../../../core/calls/delete-search.ts'
import { getManifest } from '../../../core/calls/get-manifest.ts'
import { getSearch } from '../../../core/calls/get-search.ts'
import { Forbidden, NotFound, Unauthorized } from '../../../core/errors.ts'
import { complete, openSearch, storeProcessing } from '../../builders/open-search.ts'
import { letIn, otherKey, ownKey, revokedKey, unknownKey } from '../../builders/own-job.ts'
import { createdAt, jobIdOf, retentionDays } from '../../builders/sample-search.ts'
import { createMemoryRecordedJobLookup, createMemorySigner } from '../../doubles/memory-access.ts'

async function openCompleted() {
  const search = openSearch()
  const job = await complete(search, await storeProcessing(search))
  for (const { key } of job.shards) await search.resultFiles.write(key, new Uint8Array(4))
  const { access } = letIn(search)
  const deps = {
    ...search.deps,
    access,
    lookup: createMemoryRecordedJobLookup(access, search.jobs),
    signer: createMemorySigner(createdAt),
    publicBaseUrl: 'https://rates.example',
  }
  const look = async () => [await search.jobs.read(job), [...search.resultFiles.written.keys()], search.queries.stopped]
  return { ...search, deps, job, look }
}

describe.each([
  ['get-search', getSearch],
  ['get-manifest', getManifest],
  ['cancel-search', cancelSearch],
  ['delete-search', deleteSearch],
])('%s', (_, call) => {
  it.each([
    ['unknown', jobIdOf('unknown'), ownKey],
    ['malformed', '../etc', ownKey],
    ["another organization's", undefined, otherKey],
  ])('finds nothing under an id that is %s, and changes no job', async (_kind, id, key) => {
    const { deps, job, look } = await openCompleted()
    const before = await look()
    await expect(call(deps, key, id ?? job.jobId)).rejects.toThrow(new NotFound())
    expect(await look()).toEqual(before)
  })

  it('finds no job that is past its retention, and leaves it to expire', async () => {
    const { deps, clock, job, look } = await openCompleted()
    clock.advance(retentionDays * 24 * 60 * 60)
    const before = await look()
    await expect(call(deps, ownKey, job.jobId)).rejects.toThrow(new NotFound())
    expect(await look()).toEqual(before)
  })

  it('finds no job that was deleted', async () => {
    const { deps, job } = await openCompleted()
    await deleteSearch(deps, ownKey, job.jobId)
    await expect(call(deps, ownKey, job.jobId)).rejects.toThrow(new NotFound())
  })

  it('reads no job for a malformed id', async () => {
    const { deps } = await openCompleted()
    const lookup = { lookUp: () => Promise.reject(new Error('a job was read')) }
    await expect(call({ ...deps, lookup }, ownKey, '../etc')).rejects.toThrow(new NotFound())
  })

  it('reveals nothing to a wrong key, and changes no job', async () => {
    const { deps, job, look } = await openCompleted()
    const before = await look()
    for (const id of [job.jobId, jobIdOf('unknown'), 'no id']) {
      await expect(call(deps, unknownKey, id)).rejects.toThrow(Unauthorized)
      await expect(call(deps, revokedKey, id)).rejects.toThrow(Forbidden)
    }
    expect(await look()).toEqual(before)
  })
})
