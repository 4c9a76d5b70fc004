import { describe, expect, it } from 'vitest'
import { awaitEnd, createSearch, estimateSearch, postSearch, readManifest } from '../client.ts'
import { expectRefusal } from '../refusal.ts'
import { smallSearch } from '../samples.ts'

describe('a search with max_bytes', () => {
  it('gets refused with the figure of its estimate if it would read more, and runs if it would not', async () => {
    const { bytes } = await estimateSearch(smallSearch)
    if (bytes === null) throw new Error('the samples record no sizes')
    const refusal = await postSearch(JSON.stringify({ ...smallSearch, max_bytes: bytes - 1 }))
    const { error } = expectRefusal(refusal, [400, 'invalid_request'])
    expect(error.details).toEqual([{ path: 'max_bytes', message: expect.stringContaining(`the ${bytes} bytes`) }])
    const { job_id } = await createSearch({ ...smallSearch, max_bytes: bytes })
    expect(await awaitEnd(job_id)).toMatchObject({ status: 'completed' })
    expect((await readManifest(job_id)).request.max_bytes).toBe(bytes)
  })
})
