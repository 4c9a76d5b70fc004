import { describe, expect, it } from 'vitest'
import { getSearch } from '../../../core/calls/get-search.ts'
import { signShards } from '../../../core/calls/sign-shards.ts'
import { complete, openSearch, storeProcessing } from '../../builders/open-search.ts'
import { letIn, ownKey } from '../../builders/own-job.ts'
import { createMemorySigner } from '../../doubles/memory-access.ts'

const signer = createMemorySigner(new Date('2026-11-20T10:30:00.000Z'))
const jobId = '0f8fad5b-d9cb-469f-a165-70867728950e'
const shard = (key: string) => ({ key, bytes: 1, rows: 1 })

describe('signing the shards of a job', () => {
  it.each(['results/BBBBBBBBBBBB/job/run/attempt-1/0', 'results/AAAAAAAAAAAAB/0', 'results/', 'other/AAAAAAAAAAAA/0'])(
    'refuses the file %s to the organization AAAAAAAAAAAA',
    async (key) => {
      const shards = [shard('results/AAAAAAAAAAAA/job/run/attempt-1/0'), shard(key)]
      await expect(signShards(signer, { orgId: 'AAAAAAAAAAAA' }, { jobId, shards })).rejects.toThrow(
        'has a file of another organization',
      )
    },
  )

  it('signs no URL if the look-up of a job returns another organization’s', async () => {
    const search = openSearch()
    const job = await complete(search, await storeProcessing(search))
    const { lookup, ...deps } = { ...search.deps, ...letIn(search), signer, publicBaseUrl: 'https://rates.example' }
    const signed: unknown[] = []
    const recording = {
      sign: async (...shards: Parameters<typeof signer.sign>) => {
        signed.push(shards)
        return signer.sign(...shards)
      },
    }
    const foreign = {
      ...job,
      orgId: 'BBBBBBBBBBBB',
      shards: job.shards.map((each) => ({ ...each, key: each.key.replace(ownKey.orgId, 'BBBBBBBBBBBB') })),
    }
    const broken = {
      lookUp: async (...asked: Parameters<typeof lookup.lookUp>) => ({
        ...(await lookup.lookUp(...asked)),
        job: foreign,
      }),
    }
    await expect(getSearch({ ...deps, signer: recording, lookup: broken }, ownKey, job.jobId)).rejects.toThrow(
      'another organization',
    )
    expect(signed).toEqual([])
  })
})
