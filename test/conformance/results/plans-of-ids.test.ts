import { describe, expect, it } from 'vitest'
import { completeSearch, listSearches, readManifest } from '../client.ts'
import { gold, smallSearch } from '../samples.ts'
import { readResult } from '../shards.ts'

describe('a search for a plan id', () => {
  it('finds the rows of a search for its plans, and its manifest names them', async () => {
    const byId = await completeSearch({ ...smallSearch, fee_schedules: [{ plan_id: '04-12345678' }] })
    const byName = await completeSearch({ ...smallSearch, fee_schedules: [gold] })
    expect(await readResult(byId)).toEqual(await readResult(byName))
    const manifest = await readManifest(byId.job_id)
    expect(manifest.request.fee_schedules).toEqual([{ plan_id: '0412345678' }])
    expect(manifest.fee_schedules).toMatchObject([{ ...gold, plan_ids: ['hios|0412345678'], superseded: false }])
  })

  it('appears in the list by its plan id', async () => {
    const { job_id } = await completeSearch({ ...smallSearch, fee_schedules: [{ plan_id: '0412345678' }] })
    const { searches } = await listSearches()
    expect(searches.find((one) => one.job_id === job_id)).toMatchObject({
      fee_schedule_count: 1,
      first_fee_schedule: { plan_id: '0412345678' },
    })
  })
})
