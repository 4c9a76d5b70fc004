import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ManifestBody } from '../../../contract/search-api.ts'
import { awaitEnd, call, completeSearch, createSearch, failSearch, listSearches, postSearch } from '../client.ts'
import { gold, silver, smallSearch } from '../samples.ts'
import { readResult } from '../shards.ts'

async function readManifest(jobId: string): Promise<ManifestBody> {
  return JSON.parse((await call(`/v1/searches/${jobId}/manifest`)).text)
}

describe('a search for a plan id', () => {
  it('has the rows of a search for its plans, and a manifest that names them', async () => {
    const byId = await completeSearch({ ...smallSearch, fee_schedules: [{ plan_id: '04-12345678' }] })
    const byName = await completeSearch({ ...smallSearch, fee_schedules: [gold] })
    expect(await readResult(byId)).toEqual(await readResult(byName))
    const manifest = await readManifest(byId.job_id)
    expect(manifest.request.fee_schedules).toEqual([{ plan_id: '0412345678' }])
    expect(manifest.fee_schedules).toMatchObject([{ ...gold, plan_ids: ['hios|0412345678'], superseded: false }])
  })

  it('has each plan once that is named twice, by plan ids and by name', async () => {
    const fee_schedules = [silver, { plan_id: '0412345679' }, { plan_id: 'hios|0412345678' }, { plan_id: '0412345678' }]
    const { job_id } = await completeSearch({ ...smallSearch, fee_schedules })
    expect((await readManifest(job_id)).fee_schedules).toMatchObject([silver, gold])
  })

  it('is listed by its plan id', async () => {
    const { job_id } = await completeSearch({ ...smallSearch, fee_schedules: [{ plan_id: '0412345678' }] })
    const { searches } = await listSearches()
    expect(searches.find((one) => one.job_id === job_id)).toMatchObject({
      fee_schedule_count: 1,
      first_fee_schedule: { plan_id: '0412345678' },
    })
  })

  it('fails if no plan has it, and says where to look', async () => {
    const { error } = await failSearch({ ...smallSearch, fee_schedules: [gold, { plan_id: '99-9999999' }] })
    expect(error).toMatch(/^unsupported_fee_schedule: No fee schedule has this plan id: 999999999\. Look for the plan /)
  })

  it('is the same search however the id is written, under an idempotency key', async () => {
    const headers = { 'Idempotency-Key': randomUUID() }
    const post = (plan_id: string) =>
      postSearch(JSON.stringify({ ...smallSearch, fee_schedules: [{ plan_id }] }), { headers })
    const [first, second] = [await post('04-12345678'), await post(' 0412345678')]
    expect([first.status, second.status]).toEqual([202, 202])
    expect(JSON.parse(second.text).job_id).toBe(JSON.parse(first.text).job_id)
    expect((await post('0412345679')).status).toBe(422)
    await awaitEnd(JSON.parse(first.text).job_id)
  })

  it('is refused with a payer or plan beside the id', async () => {
    const body = { ...smallSearch, fee_schedules: [{ plan_id: '0412345678', payer: gold.payer }] }
    expect((await postSearch(JSON.stringify(body))).status).toBe(400)
    await expect(createSearch({ ...smallSearch, fee_schedules: [{ plan_id: '(PPO)' }] })).rejects.toThrow('400')
  })
})
