import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { estimateSearch, listSearches, postEstimate } from '../client.ts'
import { expectRefusal, faultPaths } from '../refusal.ts'
import { gold, silver, smallSearch } from '../samples.ts'

describe('an estimate', () => {
  it('counts the files of the fee schedules and their bytes', async () => {
    const [one, two] = [
      await estimateSearch({ ...smallSearch, fee_schedules: [gold] }),
      await estimateSearch({ ...smallSearch, fee_schedules: [gold, silver] }),
    ]
    expect(one.fee_schedules).toEqual([{ ...gold, exists: true, nearest: [] }])
    expect(one.files).toBeGreaterThan(0)
    expect(two.files).toBeGreaterThan(one.files ?? 0)
    expect(two.bytes).toBeGreaterThan(one.bytes ?? 0)
    expect(two.statement_bytes).toBeGreaterThan(one.statement_bytes)
  })

  it('starts no search', async () => {
    const unknown = { ...gold, plan: randomUUID() }
    await estimateSearch({ ...smallSearch, fee_schedules: [unknown] })
    const { searches } = await listSearches()
    expect(searches.map(({ first_fee_schedule }) => first_fee_schedule)).not.toContainEqual(unknown)
  })

  it('names all fee schedules of a plan id, and says that a search fails over one that none has', async () => {
    const pair = await estimateSearch({ ...smallSearch, fee_schedules: [{ plan_id: '04-12345678' }] })
    expect(pair).toMatchObject({ fee_schedules: [{ ...gold, exists: true }], warnings: [] })
    const missing = await estimateSearch({ ...smallSearch, fee_schedules: [silver, { plan_id: '99-9999999' }] })
    expect(missing.fee_schedules).toMatchObject([silver])
    expect(missing.warnings).toMatchObject([{ path: 'fee_schedules', message: expect.stringContaining('999999999') }])
  })

  it('refuses the bodies that a search refuses', async () => {
    const refused = expectRefusal(await postEstimate({ npis: [1], fee_schedules: [] }), [400, 'invalid_request'])
    expect(faultPaths(refused)).toEqual(['fee_schedules', 'npis[0]'])
  })
})
