import { describe, expect, it } from 'vitest'
import { completeSearch, estimateSearch, failSearch, postSearch, readManifest } from '../client.ts'
import { choicePlus, findOctoberRows, findSampleRows, gold, openAccess, silver, smallSearch } from '../samples.ts'
import { describeRows, readResult } from '../shards.ts'

const search = { ...smallSearch, fee_schedules: [gold] }
const today = () => new Date().toISOString().slice(0, 10)

describe('a search as of a day', () => {
  it('finds the rows of a current search if the day is today, and its manifest names the day', async () => {
    const as_of = today()
    const { job_id, ...found } = await completeSearch({ ...search, as_of })
    expect(await readResult({ job_id, ...found })).toEqual(await readResult(await completeSearch(search)))
    expect(await readManifest(job_id)).toMatchObject({
      request: { as_of },
      fee_schedules: [{ ...gold, superseded: false }],
    })
  })

  it('finds the rows of the files that were published then if the day is in the month before', async () => {
    const filter = { codes: ['73721'], plans: [choicePlus, openAccess] }
    const request = { billing_codes: filter.codes, fee_schedules: filter.plans }
    const october = await readResult(await completeSearch({ ...request, as_of: '2026-10-31' }))
    expect(october).toEqual(describeRows(findOctoberRows(filter)))
    const november = await readResult(await completeSearch(request))
    expect(november).toEqual(describeRows(findSampleRows(filter)))
    const active = new Set(november)
    const untouched = october.filter((row) => active.has(row))
    expect(untouched.length).toBeGreaterThan(0)
    expect(untouched.length).toBeLessThan(october.length)
  })

  it('fails if one of its fee schedules was loaded only later', async () => {
    const { error } = await failSearch({ ...search, fee_schedules: [gold, silver], as_of: '2026-10-31' })
    expect(error).toMatch(/^unsupported_fee_schedule: .*Harbor HMO Silver/)
  })

  it('fails if the day is before the first load, and its estimate says so', async () => {
    const past = { ...search, as_of: '2020-01-01' }
    expect((await failSearch(past)).error).toMatch(/^(unsupported_fee_schedule: At the end of|not_kept: What) /)
    expect(await estimateSearch(past)).toMatchObject({
      fee_schedules: [{ ...gold, exists: false, nearest: [] }],
      warnings: [{ path: 'fee_schedules', message: expect.stringContaining('the search would fail: ') }],
    })
  })

  it('gets 400 if the day is in the future', async () => {
    const { status, text } = await postSearch(JSON.stringify({ ...search, as_of: '9999-12-31' }))
    expect([status, text]).toEqual([400, expect.stringContaining('must not be after today')])
  })
})
