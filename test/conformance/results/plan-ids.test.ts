import { describe, expect, it } from 'vitest'
import { completeSearch, listFeeSchedules } from '../client.ts'
import { gold } from '../samples.ts'
import { downloadRows } from '../shards.ts'

const byPlanId = { ...gold, plan: `${gold.plan} (HIOS 0412345678)` }
const filters = { npis: [1000100002, 1000100010], billing_codes: ['99213', '27447', '73721'] }

const search = async (...feeSchedules: readonly (typeof gold)[]) =>
  downloadRows(await completeSearch({ ...filters, fee_schedules: feeSchedules }))

describe('a plan that is named with one of its plan ids', () => {
  it('finds the rows of the plan, under the requested name', async () => {
    const [rowsOfName, rowsOfId] = [await search(gold), await search(byPlanId)]
    expect(rowsOfName.length).toBeGreaterThan(0)
    expect(rowsOfId).toHaveLength(rowsOfName.length)
    expect(new Set(rowsOfId.map((row) => row['plan']))).toEqual(new Set([byPlanId.plan]))
    expect(new Set(rowsOfName.map((row) => row['plan']))).toEqual(new Set([gold.plan]))
    expect(rowsOfId[0]).toMatchObject({ plan_ids: ['hios|0412345678'], plan_id_count: 1 })
  })

  it('counts as a separate fee schedule, so a search for it and the plan’s name finds the rows of each', async () => {
    const [one, both] = [await search(gold), await search(gold, byPlanId)]
    expect(both).toHaveLength(2 * one.length)
  })

  it('stays out of the list next to the plan’s name, so a search for all listed ones finds every row once', async () => {
    const { fee_schedules } = await listFeeSchedules()
    expect(fee_schedules.filter(({ plan }) => plan.startsWith(`${gold.plan} (`))).toEqual([])
  })
})
